# Every library of the system that xdscope links, as one target each. All but libc are linked statically, because
# shared gRPC alone costs 10 ms at every start. Under the thread sanitizer the packages below are shared: it was not told
# of what they do, and can leave out a whole shared object (tests/thread_sanitizer.supp) but no archive.
find_package(PkgConfig REQUIRED)
find_package(Protobuf REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(fmt REQUIRED)
find_package(Boost 1.74 REQUIRED)
find_package(Threads REQUIRED)

set(package_suffix .a)
if(XDSCOPE_SANITIZE STREQUAL thread)
  set(package_suffix .so)
endif()

# xdscope_static_package(TARGET MODULE …): a target over what pkg-config says of some modules, archives in place of
# shared objects. pkg-config is asked once per target and the answer is kept: pkg_check_modules asks it a dozen times,
# and Abseil's many small modules make every answer take a second.
function(xdscope_static_package target)
  if(NOT ${target}_LIBRARIES)
    execute_process(COMMAND ${PKG_CONFIG_EXECUTABLE} --static --libs-only-l ${ARGN}
      OUTPUT_VARIABLE libraries ERROR_VARIABLE error RESULT_VARIABLE result)
    if(NOT result EQUAL 0)
      message(FATAL_ERROR "pkg-config: ${error}")
    endif()
    separate_arguments(libraries UNIX_COMMAND "${libraries}")
    set(${target}_LIBRARIES ${libraries} CACHE INTERNAL "What pkg-config says of ${ARGN}")
  endif()
  set(archives)
  foreach(flag IN LISTS ${target}_LIBRARIES)
    string(REGEX REPLACE "^-l" "" name "${flag}")
    find_library(archive_${name} NAMES lib${name}${package_suffix})
    mark_as_advanced(archive_${name})
    if(archive_${name} AND NOT name MATCHES "^(c|m|rt|dl|pthread)$")
      list(APPEND archives ${archive_${name}})
    endif()
  endforeach()
  list(REMOVE_DUPLICATES archives)
  list(JOIN archives "," group)
  add_library(${target} INTERFACE)
  # The archives refer to one another in circles.
  target_link_libraries(${target} INTERFACE "$<LINK_GROUP:RESCAN,${group}>" Threads::Threads m rt dl)
endfunction()

xdscope_static_package(xdscope_grpc grpc++)
xdscope_static_package(xdscope_protobuf protobuf)
xdscope_static_package(xdscope_absl absl_status absl_statusor absl_flags absl_flags_parse absl_flags_reflection
  absl_flat_hash_map absl_time absl_synchronization)
xdscope_static_package(xdscope_crypto libcrypto)
add_library(xdscope::crypto ALIAS xdscope_crypto)
add_library(xdscope::grpc ALIAS xdscope_grpc)
add_library(xdscope::protobuf ALIAS xdscope_protobuf)
add_library(xdscope::absl ALIAS xdscope_absl)

# Debian has no libfmt.a, and header-only fmt costs every file that formats a line 3 s of compiling.
add_library(xdscope_fmt STATIC ${CMAKE_CURRENT_LIST_DIR}/fmt.cc)
target_include_directories(xdscope_fmt PUBLIC $<TARGET_PROPERTY:fmt::fmt-header-only,INTERFACE_INCLUDE_DIRECTORIES>)
add_library(xdscope::fmt ALIAS xdscope_fmt)

# What pkg-config says of libedit leaves out what its own libraries need.
add_library(xdscope_edit INTERFACE)
foreach(name edit tinfo bsd md)
  find_library(archive_${name} NAMES lib${name}.a REQUIRED)
  target_link_libraries(xdscope_edit INTERFACE ${archive_${name}})
endforeach()
add_library(xdscope::edit ALIAS xdscope_edit)

add_library(xdscope_yaml INTERFACE)
find_library(archive_yaml NAMES libyaml-cpp.a REQUIRED)
target_link_libraries(xdscope_yaml INTERFACE ${archive_yaml})
add_library(xdscope::yaml ALIAS xdscope_yaml)

xdscope_static_package(xdscope_re2 re2)
add_library(xdscope::re2 ALIAS xdscope_re2)
xdscope_static_package(xdscope_utf8proc libutf8proc)
add_library(xdscope::utf8proc ALIAS xdscope_utf8proc)

add_library(xdscope_boost INTERFACE)
target_link_libraries(xdscope_boost INTERFACE Boost::headers Threads::Threads)
add_library(xdscope::boost ALIAS xdscope_boost)
