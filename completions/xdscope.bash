# Completion of xdscope for bash. Source it, or put it into /usr/share/bash-completion/completions/xdscope.

_xdscope_commands="fetch watch repl validate describe types serve help"
_xdscope_types="lds rds srds vhds cds eds leds sds rtds ecds"
_xdscope_common="--help --version"
# What every command takes that connects, and what of it validate takes too.
_xdscope_server="--target= --bootstrap= --plaintext --tls --cacert= --cert= --key= --insecure --authority= --header=
  --connect-timeout= --max-time= --poll= --error-detail --request-timeout= --keepalive-time= --max-message= --user-agent=
  --node= --node-id= --node-cluster= --locality= --metadata= --client-feature=
  --variant= --api= --wildcard= --schema= --verbose --quiet"
_xdscope_connect="--output= --show-secrets --json-names= --color= --emit-defaults $_xdscope_server
  --client= --on-invalid= --nack --nack-message="
_xdscope_fetch="--wait= --settle= --follow --no-follow --fail-on-absent --raw --out-dir= $_xdscope_connect"
_xdscope_watch="--count= --for= --full --fresh --any-write --follow --no-follow $_xdscope_connect"
_xdscope_repl="--script= --auto= $_xdscope_connect"
_xdscope_validate="--type= --client= --watch --strict --known-cluster= --root= --only= --disable= --baseline= --fail-on= --output= --color= $_xdscope_server"
_xdscope_describe="--output= --schema="
_xdscope_types_flags="--all $_xdscope_describe"
_xdscope_serve="--listen= --rest-listen= --hold= --tls-cert= --tls-key= --client-ca= --v2 --lenient --strict --delay= --close-after= --drop-nonce --resend-refused --schema= --verbose --quiet"

# The words a flag takes, or "file" or "folder" for one that takes that.
_xdscope_values() {
  case $1 in
    --output | -o | --client)
      if [[ " ${COMP_WORDS[*]} " == *" validate "* ]]; then
        [[ $1 == --client ]] && echo "envoy grpc both" || echo "text json ndjson sarif junit github gitlab"
        return
      fi
      ;;&
    --output | -o)
      if [[ " ${COMP_WORDS[*]} " =~ " "(describe|types)" " ]]; then
        echo "text json"
        return
      fi
      ;;&
    --output | -o) echo "yaml json ndjson text binary table tree name" ;;
    --json-names) echo "proto camel" ;;
    --color) echo "auto always never" ;;
    --variant) echo "ads delta-ads sotw delta unary" ;;
    --api) echo "v3 v2" ;;
    --client) echo "envoy grpc strict" ;;
    --wildcard) echo "legacy explicit" ;;
    --on-invalid) echo "ack nack partial" ;;
    --fail-on) echo "error warning info" ;;
    --type) echo "lds rds srds vhds cds eds leds sds rtds ecds" ;;
    --auto) echo "ack nack judge off" ;;
    --bootstrap | --cacert | --cert | --key | --node | --schema | --script | --tls-cert | --tls-key | --client-ca | --baseline)
      echo "file"
      ;;
    --out-dir | --root) echo "folder" ;;
  esac
}

_xdscope() {
  local current=${COMP_WORDS[COMP_CWORD]} previous= flag= command= word values
  ((COMP_CWORD > 0)) && previous=${COMP_WORDS[COMP_CWORD - 1]}
  COMPREPLY=()

  # bash splits a flag from its value at the equals sign.
  if [[ $current == "=" ]]; then
    flag=$previous current=
  elif [[ $previous == "=" ]]; then
    flag=${COMP_WORDS[COMP_CWORD - 2]}
  else
    flag=$previous
  fi
  values=$(_xdscope_values "$flag")
  if [[ $values == "file" ]]; then
    compopt -o filenames
    mapfile -t COMPREPLY < <(compgen -f -- "$current")
    return
  elif [[ $values == "folder" ]]; then
    compopt -o filenames
    mapfile -t COMPREPLY < <(compgen -d -- "$current")
    return
  elif [[ -n $values ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$values" -- "$current")
    return
  fi

  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    if [[ " $_xdscope_commands " == *" $word "* ]]; then
      command=$word
      break
    fi
  done
  local words=$_xdscope_common
  case $command in
    "") [[ $current == -* ]] || words=$_xdscope_commands ;;
    fetch | watch)
      if [[ $current == -* ]]; then
        [[ $command == fetch ]] && words="$_xdscope_common $_xdscope_fetch"
        [[ $command == watch ]] && words="$_xdscope_common $_xdscope_watch"
      else
        compopt -o filenames
        mapfile -t COMPREPLY < <(compgen -W "$_xdscope_types" -- "$current"; compgen -f -- "$current")
        return
      fi
      ;;
    repl)
      if [[ $current != -* ]]; then
        compopt -o filenames
        mapfile -t COMPREPLY < <(compgen -f -- "$current")
        return
      fi
      words="$_xdscope_common $_xdscope_repl"
      ;;
    validate)
      if [[ $current != -* ]]; then
        compopt -o filenames
        mapfile -t COMPREPLY < <(compgen -f -- "$current")
        return
      fi
      words="$_xdscope_common $_xdscope_validate"
      ;;
    describe)
      words=$_xdscope_types
      [[ $current == -* ]] && words="$_xdscope_common $_xdscope_describe"
      ;;
    types)
      words=
      [[ $current == -* ]] && words="$_xdscope_common $_xdscope_types_flags"
      ;;
    serve)
      if [[ $current != -* ]]; then
        compopt -o filenames
        mapfile -t COMPREPLY < <(compgen -d -- "$current")
        return
      fi
      words="$_xdscope_common $_xdscope_serve"
      ;;
    help) [[ $current == -* ]] || words=$_xdscope_commands ;;
  esac
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
  [[ ${COMPREPLY[0]} == *= ]] && compopt -o nospace
}

complete -F _xdscope xdscope
