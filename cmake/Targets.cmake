# How a library, a test and a warning level are spelled here.
add_library(xdscope_warnings INTERFACE)
# g++ 12 sees an overlap in `"text" + string` at -O3 where there is none (GCC bug 105651).
target_compile_options(xdscope_warnings INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict> $<$<BOOL:${XDSCOPE_WERROR}>:-Werror>)

find_program(XDSCOPE_CCACHE ccache)
if(XDSCOPE_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${XDSCOPE_CCACHE})
endif()

# What a peer sends is parsed here, so a mistake of ours shall end the program and not serve the peer: guarded stacks
# that grow page by page, checked jumps, checked operator[] of the standard library, copies of the C library that know
# how large their target is, and no writable table of functions. A compiler or a processor without one of them (cf is
# x86's) builds without it. -O0 has no _FORTIFY_SOURCE, and the sanitizers check the same functions themselves.
include(CheckCXXCompilerFlag)
foreach(flag -fstack-protector-strong -fstack-clash-protection -fcf-protection)
  string(MAKE_C_IDENTIFIER "XDSCOPE_HAS${flag}" has)
  check_cxx_compiler_flag(${flag} ${has})
  if(${has})
    add_compile_options($<$<COMPILE_LANGUAGE:CXX>:${flag}>)
  endif()
endforeach()
add_compile_definitions(_GLIBCXX_ASSERTIONS)
if(NOT XDSCOPE_SANITIZE)
  add_compile_definitions($<$<NOT:$<CONFIG:Debug>>:_FORTIFY_SOURCE=2>)
endif()
add_link_options(-Wl,-z,relro -Wl,-z,now)

if(XDSCOPE_SANITIZE)
  add_compile_options(-fsanitize=${XDSCOPE_SANITIZE} -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${XDSCOPE_SANITIZE})
endif()
if(XDSCOPE_STATIC)
  add_link_options(-static)
endif()

# xdscope_library(FOLDER SOURCES a.cc … DEPS xdscope::base …): the one static library of lib/FOLDER.
function(xdscope_library folder)
  cmake_parse_arguments(arg "" "" "SOURCES;DEPS;PRIVATE_DEPS" ${ARGN})
  add_library(xdscope_${folder} STATIC ${arg_SOURCES})
  add_library(xdscope::${folder} ALIAS xdscope_${folder})
  target_include_directories(xdscope_${folder} PUBLIC ${PROJECT_SOURCE_DIR})
  target_link_libraries(xdscope_${folder} PUBLIC ${arg_DEPS} PRIVATE ${arg_PRIVATE_DEPS} xdscope_warnings)
  if(XDSCOPE_FUZZERS)
    target_compile_options(xdscope_${folder} PRIVATE -fsanitize=fuzzer-no-link)  # says which ways were taken
  endif()
endfunction()

# All unit tests, without the rest of the project.
add_custom_target(unit_tests)

# What compiles a test: how long that takes counts, how fast the test's own lines run does not. `target` links GTest.
function(xdscope_test_options target)
  target_compile_options(${target} PRIVATE -O0 -U_FORTIFY_SOURCE)
  if(TARGET test_headers)
    target_precompile_headers(${target} REUSE_FROM test_headers)
  endif()
endfunction()

# xdscope_unit_test(NAME SOURCES … DEPS …): one executable and one ctest entry, labelled "unit".
function(xdscope_unit_test name)
  cmake_parse_arguments(arg "" "" "SOURCES;DEPS" ${ARGN})
  add_executable(unit_${name} ${arg_SOURCES})
  target_include_directories(unit_${name} PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(unit_${name} PRIVATE ${arg_DEPS} GTest::gtest GTest::gmock GTest::gtest_main xdscope_warnings)
  xdscope_test_options(unit_${name})
  add_test(NAME unit.${name} COMMAND unit_${name} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  set_tests_properties(unit.${name} PROPERTIES LABELS unit)
  add_dependencies(unit_tests unit_${name})
endfunction()
