/**
 * Handlers of the calls below /api/v1: a thin layer over the handlers of the existing calls and the functions of their
 * modules. Writes external_reference.
 */
import type { Handler } from '../../http/handler.ts'
import { createBatchHandlers } from './batches.ts'
import { createEmployeeHandlers } from './employees.ts'
import { createKeyHandlers } from './key.ts'
import { createProgramPayslipHandlers } from './payslips.ts'
import { createCallRunner } from './run-call.ts'
import { createWageSheetHandlers } from './wage-sheets.ts'
import { createProgramWebhookHandlers } from './webhooks.ts'

/** `handlers`: those of all other calls. */
export function createApiV1Handlers(handlers: readonly Handler[]): Handler[] {
  const runner = createCallRunner(handlers)
  return [
    createEmployeeHandlers,
    createWageSheetHandlers,
    createBatchHandlers,
    createProgramPayslipHandlers,
    createProgramWebhookHandlers,
    createKeyHandlers,
  ].flatMap((create) => create(runner))
}
