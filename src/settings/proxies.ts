/** The variables from which undici takes the proxies. */
export const proxyVariables = ['HTTPS_PROXY', 'HTTP_PROXY', 'NO_PROXY'].flatMap(name => [
  name.toLowerCase(),
  name
])
