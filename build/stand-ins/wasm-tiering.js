import { setFlagsFromString } from 'node:v8'

// The V8 of Node 20 begins to optimise undici's WebAssembly parser at its first calls, and the process waits for that at
// its end: 70 ms for one short reply. With this budget the parser has to have worked for long before it is optimised.
if (Number.parseInt(process.versions.v8, 10) < 12) setFlagsFromString('--wasm-tiering-budget=1000000000')
