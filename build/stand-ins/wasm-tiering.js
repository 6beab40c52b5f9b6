// The V8 of Node 20 optimizes undici's WebAssembly parser at its first calls, and the process waits
// for that when it exits: 70 ms for one short reply. With this budget, V8 optimizes it only after
// many calls.
if (Number.parseInt(process.versions.v8, 10) < 12) {
  process.getBuiltinModule('node:v8').setFlagsFromString('--wasm-tiering-budget=1000000000')
}
