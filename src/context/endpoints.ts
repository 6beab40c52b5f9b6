import type { Endpoint, ServiceName } from '../model/endpoint.ts'

/** The service inside this program has addresses only for the form's sake: nothing is ever connected to. */
export const localEndpoint = (service: ServiceName): Endpoint => ({
  url: service === 'pets' ? 'http://local.invalid/v1' : 'http://local.invalid',
  placeName: 'the local service',
  key: 'local',
  describeKey: 'the key of the local service',
  environment: 'local',
})

/** Where `petstore serve` listens unless it is told otherwise. */
export const servedUrl = (service: ServiceName): string =>
  service === 'pets' ? 'http://127.0.0.1:4010/v1' : 'http://127.0.0.1:4010'

/** For a dry run: no key is looked for, so that none can come out. */
export const withoutKey = (url: string, environment: string): Endpoint => ({
  url,
  key: 'PETSTORE_API_KEY',
  describeKey: 'the key',
  environment,
})
