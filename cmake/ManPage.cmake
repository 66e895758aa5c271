# Writes a man page from what a program says of itself: run as a script with NAME, SUMMARY, HELP (the
# command that prints the text, a list), VERSION and OUTPUT.
execute_process(COMMAND ${HELP} OUTPUT_VARIABLE text RESULT_VARIABLE status)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "man page of ${NAME}: '${HELP}' ended with ${status}")
endif()
# What roff would take for its own: backslashes, and dots and quotes at the beginning of a line.
string(REPLACE "\\" "\\e" text "${text}")
string(REPLACE "-" "\\-" text "${text}")
string(REGEX REPLACE "(^|\n)([.'])" "\\1\\\\&\\2" text "${text}")
string(TOUPPER ${NAME} title)
file(WRITE ${OUTPUT} ".TH ${title} 1 \"\" \"davsim ${VERSION}\"\n.SH NAME\n${NAME} \\- ${SUMMARY}\n"
     ".SH DESCRIPTION\n.nf\n${text}.fi\n")
