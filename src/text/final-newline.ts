/** Removes the one newline that `echo` and editors add at the end. */
export const withoutFinalNewline = (text: string): string => text.replace(/\r?\n$/, '')
