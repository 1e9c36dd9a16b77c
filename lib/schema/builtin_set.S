// The bytes of the descriptor set, and a pointer behind the last.
    .section .rodata
    .balign 16
    .global xdscope_builtin_set_begin
    .global xdscope_builtin_set_end
xdscope_builtin_set_begin:
    .incbin "envoy_api.pb"
xdscope_builtin_set_end:
    .byte 0
    .section .note.GNU-stack, "", %progbits
