#!/usr/bin/env node
'use strict'

const fs = require('node:fs')
const nodeModule = require('node:module')
const path = require('node:path')

/** Says so itself on an old Node, which must be able to read this file to its end. */
function isSupported() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  return (major === 20 && minor >= 19) || (major === 22 && minor >= 13) || major > 22
}

/**
 * The directory for Node's compile cache, which is made if it is missing. There is none where
 * another user could put what this one would run: with the home of another user, as under sudo, or
 * in a directory that is not private.
 */
function cacheDirectory() {
  const { HOME, XDG_CACHE_HOME = '', LOCALAPPDATA } = process.env
  if (process.platform === 'win32') return LOCALAPPDATA && path.join(LOCALAPPDATA, 'petstore')
  if (!HOME || !isOwn(HOME)) return undefined
  const caches = path.isAbsolute(XDG_CACHE_HOME) ? XDG_CACHE_HOME : path.join(HOME, '.cache')
  const directory = path.join(caches, 'petstore')
  for (const wanted of [caches, directory]) if (!fs.existsSync(wanted)) fs.mkdirSync(wanted, 0o700)
  const isPrivate = (fs.statSync(directory).mode & 0o077) === 0
  return isOwn(caches) && isOwn(directory) && isPrivate ? directory : undefined
}

/** @param {string} directory */
function isOwn(directory) {
  return fs.statSync(directory).uid === process.geteuid()
}

function useCompileCache() {
  if (!nodeModule.enableCompileCache) return
  try {
    const directory = cacheDirectory()
    if (directory) nodeModule.enableCompileCache(directory)
  } catch {
    // There is no home, or it cannot be written: the program starts as on Node 20, without a cache.
  }
}

/** @param {string} message */
function fail(message) {
  process.exitCode = 9
  fs.writeSync(2, `error: ${message}\n`)
}

async function run() {
  // Used if the program ends without a result.
  process.exitCode = 1
  try {
    const { main, processHost } = require('../dist/main.cjs')
    process.exitCode = await main(process.argv.slice(2), processHost())
  } catch (error) {
    // The part that reports errors may be the one that is missing or cut off.
    if (error.code !== 'MODULE_NOT_FOUND' && !(error instanceof SyntaxError)) throw error
    // Not the message: it may quote a key.
    fail(`petstore cannot be loaded; install it again (${error.code ?? error.name})`)
  }
  // What is still open, such as a read from a terminal, must not keep the process alive.
  setTimeout(() => process.exit(), 50).unref()
}

if (isSupported()) {
  // The process waits for a name lookup, also after Ctrl-C, and nothing ends one: so each gives up
  // after three seconds. The program repeats it.
  process.env.RES_OPTIONS = process.env.RES_OPTIONS || 'timeout:3 attempts:1'
  useCompileCache()
  run()
} else {
  fail(`petstore needs Node 20.19, 22.13 or a later one; this is Node ${process.versions.node}`)
}
