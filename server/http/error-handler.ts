/** Fastify's error handler: every error becomes the envelope, with the status of its kind. */
import type { FastifyError, FastifyInstance } from 'fastify'
import { isVersionedPath } from '../contract/call.ts'
import { type ErrorName, errorCodes, getHttpStatus } from '../contract/errors.ts'
import { DocumentFormatError } from '../crypto/sealed-document.ts'
import { MissingCompanyKeyError } from '../crypto/secrets.ts'
import { isStatementTimeout, isTransientDatabaseError } from '../database/transient-errors.ts'
import { readApiKey } from './credentials.ts'
import { sendError } from './envelope.ts'
import { AppError, fail } from './errors.ts'
import { OverloadedError } from './limits/concurrency.ts'

/** Another transaction held a lock for too long. Nothing was changed, and a retry is appropriate. */
const conflictMessage = '有其他操作正在进行，请稍后再试'
const timeoutMessage = '这一步要处理的内容太多，没有来得及做完，也没有改动任何内容；请稍后再试，或分几次处理'
const newerVersionMessage = '这条内容由更新版本的服务写入，当前版本读不了，也没有改动它；请联系系统运维升级服务后再看'
const destroyedMessage = '这家企业的数据密钥已经销毁，工资数据无法再读取；请切换到其他企业，或联系系统运维'
const unreadableMessage = '这条内容读不出来，没有改动它；请把页面上的编号告诉系统运维'

/** `shed` tells a client that nothing was started, so it may retry automatically. */
export const toSheddingDetails = ({ retry_after_s }: OverloadedError) => ({ retry_after: retry_after_s, shed: true })

export function registerErrorHandler(app: FastifyInstance): void {
  app.setErrorHandler((thrown: FastifyError, request, reply) => {
    const error = thrown instanceof MissingCompanyKeyError ? fail('not_permitted', destroyedMessage) : thrown
    if (error instanceof AppError) {
      const { error: name, message, details } = error
      if (readApiKey(request.headers) === null && !isVersionedPath(request.url))
        return sendError(reply, 200, name, message, details)
      if (typeof details.retry_after === 'number') void reply.header('retry-after', String(details.retry_after))
      if (name === 'signed_out') void reply.header('www-authenticate', 'Bearer')
      return sendError(reply, getHttpStatus(name), name, message, details)
    }
    if (isTransientDatabaseError(error)) {
      request.log.warn({ err: error }, 'busy')
      return sendError(
        reply.header('retry-after', '5'),
        503,
        'too_often',
        isStatementTimeout(error) ? timeoutMessage : conflictMessage,
        { retry_after: 5 },
      )
    }
    if (error instanceof OverloadedError)
      return sendError(
        reply.header('retry-after', String(error.retry_after_s)),
        503,
        'too_often',
        error.message,
        toSheddingDetails(error),
      )
    // The error message names the kind of document and its versions, never its content.
    if (error instanceof DocumentFormatError) {
      request.log.error({ err: error }, 'a sealed document was not readable')
      return sendError(reply, 500, 'internal_error', error.isNewerVersion ? newerVersionMessage : unreadableMessage, {
        request_id: request.id,
      })
    }
    const status = error.statusCode ?? 500
    if (status >= 500 && status !== 503) request.log.error({ err: error }, 'request failed')
    const [name, message] = toTransportError(status)
    return sendError(reply, status, name, message, { request_id: request.id })
  })
}

function toTransportError(status: number): [ErrorName, string] {
  if (status === 413) return ['invalid', '内容太大，请减少后重试']
  if (status === 415) return ['invalid', '请求的格式不支持']
  if (status === 429 || status === 503) return ['too_often', '服务繁忙，请稍后再试']
  if (status >= 500) return ['internal_error', errorCodes.internal_error.message]
  return ['invalid', '请求的内容无法识别']
}
