'use strict'

// The least that gets the list of animals and prints it: what `pets list` is measured against.
const http = require('node:http')

const headers = { authorization: `Bearer ${process.env.PETSTORE_API_KEY}`, accept: 'application/json' }
http.get(`${process.env.PETSTORE_BASE_URL}/pets`, { headers }, (reply) => {
  let text = ''
  reply.setEncoding('utf8')
  reply.on('data', (piece) => {
    text += piece
  })
  reply.on('end', () => process.stdout.write(`${JSON.stringify(JSON.parse(text), null, 2)}\n`))
})
