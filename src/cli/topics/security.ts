import type { Topic } from '../page.ts'

export const security: Topic = {
  name: 'security',
  summary: 'where API keys come from, and where they are saved and sent',
  sections: () => [
    {
      paragraphs: [
        'Keys cannot be given as options, so they never show up in the process list or in the history of a shell. An API key comes from the variable PETSTORE_API_KEY, or from petstore auth login, which prompts for it without showing it or reads it from standard input.',
        'A saved key is in the config file, which only its owner can read. It is sent only to the URLs that it was saved with. Redirects are not followed.',
        'A key never appears on stderr: if a service repeats it, it is masked (unless it has fewer than four characters). petstore auth token prints the key. petstore auth status shows its fingerprint, the first eight digits of its SHA-256.',
        'Plain http is refused unless the host is this machine; PETSTORE_ALLOW_HTTP=1 allows it. A URL with a user name or a password is refused.',
      ],
    },
    {
      heading: 'Examples',
      commands: [
        ['petstore auth login --base-url https://HOST/v1', 'type or paste the key; it is not shown'],
        ['petstore auth login --base-url https://HOST/v1 < key.txt', 'read the key from a file'],
        ['petstore auth status --no-verify', 'show which keys are saved, by fingerprint'],
      ],
    },
  ],
}
