/** Runs the handlers of the existing calls, so that the calls below /api/v1 keep every check of theirs. */
import type { Call, CallInput, CallOutput, CallRequest } from '../../contract/call.ts'
import { errorCodes } from '../../contract/errors.ts'
import { parseBySchema } from '../../contract/parse-input.ts'
import {
  type AccessContext,
  type AfterCommitContext,
  AppError,
  type ExternalContext,
  fail,
  type Handler,
  type HandlerContext,
} from '../../http/handler.ts'

export type CallRunner = {
  /** Runs the call in the transaction of the context. Calls of access rights require the context that locks them. */
  run<C extends Call>(
    ctx: HandlerContext | AccessContext | ExternalContext,
    call: C,
    input: CallRequest<C>,
  ): Promise<CallOutput<C>>
  /** Runs what the call does after the commit. */
  afterCommit<C extends Call>(
    ctx: AfterCommitContext,
    call: C,
    input: CallInput<C>,
    output: CallOutput<C>,
  ): Promise<CallOutput<C>>
}

export function createCallRunner(handlers: readonly Handler[]): CallRunner {
  const byCall = new Map<Call, Handler>(handlers.map((handler) => [handler.call, handler]))
  const find = (call: Call): Handler => {
    const handler = byCall.get(call)
    if (!handler) throw new Error(`${call.route} has no handler`)
    return handler
  }
  return {
    async run(ctx, call, input) {
      const { data, issue } = parseBySchema(call.input, input)
      if (issue) throw fail('invalid', issue.message ?? errorCodes.invalid.message, { field: issue.field })
      return find(call).run(ctx as never, data) as Promise<never>
    },
    async afterCommit(ctx, call, input, output) {
      const handler = find(call)
      if (handler.kind !== 'company' || !handler.afterCommit) return output
      return handler.afterCommit(ctx, input, output) as Promise<never>
    },
  }
}

/** Runs the work for each item; an error names the item and its field: `employees.3.mobile`. */
export async function forEachItem<T, R>(list: string, items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = []
  for (const [index, item] of items.entries())
    try {
      results.push(await work(item))
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      const { field } = error.details
      const path = typeof field === 'string' ? `${list}.${index}.${field}` : `${list}.${index}`
      throw fail(error.error, error.message, { ...error.details, index, field: path })
    }
  return results
}
