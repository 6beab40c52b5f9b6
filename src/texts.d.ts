// Files that the build and the tests load as text: see build/text-files.js.

declare module '*.txt' {
  const text: string

  export { text as default }
}

declare module '*.html' {
  const text: string

  export { text as default }
}

declare module '*.md' {
  const text: string

  export { text as default }
}

declare module '*/completions/petstore.bash' {
  const text: string

  export { text as default }
}

declare module '*/completions/petstore.fish' {
  const text: string

  export { text as default }
}

declare module '*/completions/_petstore' {
  const text: string

  export { text as default }
}
