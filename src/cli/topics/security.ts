import type { Topic } from '../page.ts'

export const security: Topic = {
  name: 'security',
  summary: 'where keys come from, where they are kept and where they go',
  sections: () => [
    {
      paragraphs: [
        'No option takes a key, so none stands in the list of processes or in the history of a shell. A key comes from the variable PETSTORE_API_KEY, or from petstore auth login, which asks without showing it or reads standard input.',
        'A kept key lies in the config file, which its owner alone may read. It is sent to no other origin than those of the addresses that it was kept with. Redirects are not followed.',
        'A key never appears on stderr, even where a service sends it back: it is masked there (one of fewer than four characters is not, for words have it too). petstore auth token prints the key in force, and petstore auth status shows its fingerprint, which is the beginning of its SHA-256.',
        'Plain http goes to this machine itself and nowhere else; PETSTORE_ALLOW_HTTP=1 lifts that. An address must hold no user name and no password.',
      ],
    },
    {
      heading: 'Examples',
      commands: [
        ['petstore auth login --base-url https://HOST/v1', 'a key typed by hand, which does not show'],
        ['petstore auth login --base-url https://HOST/v1 < key.txt', 'a key from a file'],
        ['petstore auth status --no-verify', 'which keys are kept, by their fingerprints'],
      ],
    },
  ],
}
