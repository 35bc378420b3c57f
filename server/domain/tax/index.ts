/** Salary tax. The rules are those of rules/law; here is who may ask, and what is kept of the answers. Has no table yet. */
import * as contract from '../../contract/wage/tax.ts'
import { type Handler, implement } from '../../runtime/handle.ts'
import { previewTax } from './preview.ts'

export const taxHandlers: Handler[] = implement(contract, { previewTax })
