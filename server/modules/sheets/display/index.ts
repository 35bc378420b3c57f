/**
 * Entry point for payslips that were sent: their title, layout and recognition result, and how they are rendered.
 * Loads neither access checks nor the roster (docs/decisions/20261123-use-narrow-module-entries.md).
 */
export { openTitle } from '../names/sealed-names.ts'
export { openPayslipLayout, openRecognition } from '../recognition.ts'
export { getAmountSigns, renderPayslip } from '../rules/render-payslip.ts'
