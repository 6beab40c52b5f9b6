interface Variable {
  readonly name: string
  readonly meaning: string
}

/** Every variable that is read, by this program or by what it is built on. */
export const variables: readonly Variable[] = [
  { name: 'PETSTORE_ENV', meaning: 'the environment to work on, like --env' },
  { name: 'PETSTORE_OUTPUT', meaning: 'how data is written, like --output' },
  { name: 'PETSTORE_TIMEOUT', meaning: 'seconds that each attempt may take, like --timeout' },
  { name: 'PETSTORE_RETRIES', meaning: 'how many times to try again, where that is safe, like --retries' },
  { name: 'PETSTORE_API_KEY', meaning: 'the key; beats a kept one' },
  { name: 'PETSTORE_BASE_URL', meaning: 'the base address; beats a kept one' },
  { name: 'PETSTORE_MESSAGES_URL', meaning: 'the messages address; beats a kept one' },
  { name: 'PETSTORE_ALLOW_HTTP', meaning: '1 allows plain http to other machines' },
  { name: 'PETSTORE_CONFIG_DIR', meaning: 'the directory for everything that is kept' },
  { name: 'PETSTORE_DEBUG', meaning: '1 shows requests and replies on stderr, like --verbose' },
  { name: 'HTTPS_PROXY', meaning: 'the proxy for https, like http://HOST:PORT; https_proxy beats it' },
  { name: 'HTTP_PROXY', meaning: 'the proxy for plain http, asked to CONNECT; http_proxy beats it' },
  { name: 'NO_PROXY', meaning: 'hosts and networks that need no proxy, or *; the loopback never has one' },
  { name: 'NODE_EXTRA_CA_CERTS', meaning: 'a file with certificates of authorities to trust beside the known ones' },
  { name: 'NO_COLOR', meaning: 'no colour, like --no-color' },
  { name: 'FORCE_COLOR', meaning: 'colour everywhere, like --color always' },
  { name: 'CI', meaning: 'never ask, like --no-input' },
]
