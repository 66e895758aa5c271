# Copies a kernel source with each launch of host code, kernel<<<blocks, nullptr, stream>>>(x), made
# a call, kernel(x): it compiles, and nothing runs it. Run as a script with SOURCE and OUTPUT.
file(READ ${SOURCE} text)
string(REGEX REPLACE "<<<[^;]*>>>" "" text "${text}")
file(WRITE ${OUTPUT} "#line 1 \"${SOURCE}\"\n${text}")
