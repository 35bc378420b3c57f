/** JSON bodies. The nesting depth is checked before parsing: no call needs more than a few levels, and depth is expensive. */
import type { FastifyInstance } from 'fastify'

const maxDepth = 16

/** Whether brackets are nested deeper than allowed; brackets in strings do not count. */
export function isTooDeep(body: Buffer, most = maxDepth): boolean {
  let depth = 0
  let inText = false
  for (let at = 0; at < body.length; at++) {
    const sign = body[at]
    if (inText) {
      if (sign === 92) at++
      else if (sign === 34) inText = false
    } else if (sign === 34) inText = true
    else if (sign === 91 || sign === 123) {
      if (++depth > most) return true
    } else if (sign === 93 || sign === 125) depth--
  }
  return false
}

class MalformedBodyError extends Error {
  readonly statusCode = 400
}

/** Keys with these names never occur in legitimate requests, however they are escaped. */
const protoKeyPattern = /"(?:_|\\u005f){2}(?:p|\\u0070)(?:r|\\u0072)(?:o|\\u006f)(?:t|\\u0074)(?:o|\\u006f)(?:_|\\u005f){2}"\s*:/i
const constructorKeyPattern =
  /"(?:c|\\u0063)(?:o|\\u006f)(?:n|\\u006e)(?:s|\\u0073)(?:t|\\u0074)(?:r|\\u0072)(?:u|\\u0075)(?:c|\\u0063)(?:t|\\u0074)(?:o|\\u006f)(?:r|\\u0072)"\s*:/i

export function registerJsonParser(app: FastifyInstance): void {
  app.removeContentTypeParser('application/json')
  app.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, (_request, bytes, done) => {
    if (bytes.length === 0) return done(new MalformedBodyError('empty'))
    if (isTooDeep(bytes)) return done(new MalformedBodyError('nested too deeply'))
    const text = bytes.toString('utf8')
    if (protoKeyPattern.test(text) || constructorKeyPattern.test(text)) return done(new MalformedBodyError('a key that is none'))
    try {
      done(null, JSON.parse(text))
    } catch {
      done(new MalformedBodyError('not JSON'))
    }
  })
}
