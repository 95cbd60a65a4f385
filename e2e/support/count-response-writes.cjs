// Loaded into the console before Next.js: appends a dot to RESPONSE_WRITES for each `response.write` to the live channel.
const { appendFileSync } = require('node:fs')
const { ServerResponse } = require('node:http')

const { write } = ServerResponse.prototype
ServerResponse.prototype.write = function (...args) {
  if (this.req.url === '/api/live') appendFileSync(process.env.RESPONSE_WRITES, '.')
  return write.apply(this, args)
}
