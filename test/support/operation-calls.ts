import { operations } from '../../src/client/operations.ts'

/** A call of each operation without values: for what does not depend on the input. */
export const operationCalls = Object.values(operations).map(callOf => callOf({} as never))
