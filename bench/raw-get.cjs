'use strict'

// Only gets the list of pets and prints it, for comparison with `pets list`.
const http = require('node:http')

const headers = {
  authorization: `Bearer ${process.env.PETSTORE_API_KEY}`,
  accept: 'application/json'
}
http.get(`${process.env.PETSTORE_BASE_URL}/pets`, { headers }, reply => {
  let text = ''
  reply.setEncoding('utf8')
  reply.on('data', chunk => {
    text += chunk
  })
  reply.on('end', () => process.stdout.write(`${JSON.stringify(JSON.parse(text), null, 2)}\n`))
})
