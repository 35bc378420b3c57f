/**
 * The last step: the output becomes the envelope, or stays itself below /api/v1, serialized by the call's schema; or
 * bytes, or a redirect.
 */
import type { FastifyReply } from 'fastify'
import * as z from 'zod/mini'
import { type Call, isPaymentPath, isVersionedPath } from '../contract/call.ts'
import { createEnvelope } from './envelope.ts'
import type { AppDeps, RequestContext } from './request-context.ts'

export function sendOutput({ validateResponses }: AppDeps, ctx: RequestContext, output: unknown): FastifyReply {
  const { call, reply, rawResponse } = ctx
  if (rawResponse?.bytes) return reply.send(rawResponse.bytes)
  if (rawResponse?.address) return reply.redirect(rawResponse.address, 302)
  if (validateResponses) z.parse(call.output, output)
  return reply
    .type('application/json; charset=utf-8')
    .serializer(getResponseSerializer(call, reply))
    .send(isVersionedPath(call.path) ? output : createEnvelope(call.path, null, '', output))
}

type Writer = (body: { [key: string]: unknown }) => string
const writers = new WeakMap<Call, Writer>()
/**
 * Undeclared fields of a response are dropped by a serializer built from its schema: a column can never leak. Built
 * when the call is first made: with `schema.response` on every route, Fastify would build all of them at each start of
 * the server, and each test environment, which costs 0.7 s of CPU time.
 */
export function getResponseSerializer(call: Call, reply: FastifyReply): Writer {
  const existing = writers.get(call)
  if (existing) return existing
  const errcode = isPaymentPath(call.path) ? { errcode: z.int() } : {}
  const full = isVersionedPath(call.path)
    ? call.output
    : z.object({ error_code: z.int(), error_msg: z.string(), errmsg: z.string(), ...errcode, data: call.output })
  const made: Writer = reply.compileSerializationSchema(z.toJSONSchema(full, { target: 'draft-7', io: 'output' }))
  writers.set(call, made)
  return made
}
