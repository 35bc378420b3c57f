/** All calls of the product, for routes, the API document and tests over all calls. Pages import from their subject's file. */

import * as role from './access/administrators.ts'
import * as agency from './agency/agency.ts'
import * as apiKeys from './api-keys/api-keys.ts'
import * as v1Batches from './api-v1/batches.ts'
import * as v1Employees from './api-v1/employees.ts'
import * as v1Key from './api-v1/key.ts'
import * as v1Payslips from './api-v1/payslips.ts'
import * as v1WageSheets from './api-v1/wage-sheets.ts'
import * as v1Webhooks from './api-v1/webhooks.ts'
import * as approval from './approvals/approvals.ts'
import * as platformSignIn from './auth/platform-sign-in.ts'
import * as profile from './auth/profile.ts'
import * as account from './auth/sign-in.ts'
import * as order from './billing/orders.ts'
import type { Call } from './call.ts'
import * as company from './company/company.ts'
import * as memberImport from './directory/import.ts'
import * as memberFile from './directory/member-history.ts'
import * as member from './directory/members.ts'
import * as files from './files/files.ts'
import * as invite from './invites/invite.ts'
import * as notifications from './notifications/notifications.ts'
import * as opsShop from './operator/billing.ts'
import * as ops from './operator/operators.ts'
import * as card from './payslips/chat-read-status.ts'
import * as employee from './payslips/employee.ts'
import * as own from './payslips/employee-data.ts'
import * as ownTax from './payslips/employee-tax.ts'
import * as evidence from './payslips/evidence-package.ts'
import * as feedback from './payslips/feedback.ts'
import * as mail from './payslips/mailbox.ts'
import * as memberData from './payslips/member-data.ts'
import * as slip from './payslips/send.ts'
import * as approve from './payslips/send-approval.ts'
import * as testSend from './payslips/test-send.ts'
import * as reach from './payslips/unreachable-members.ts'
import * as verify from './payslips/verify-receipt.ts'
import * as binding from './platform-binding/binding.ts'
import * as installing from './platform-binding/install.ts'
import * as colleagues from './platform-binding/platform-users.ts'
import * as chart from './reports/charts.ts'
import * as search from './reports/search.ts'
import * as erasure from './retention/member-data.ts'
import * as privacyNotice from './retention/privacy-notice.ts'
import * as retention from './retention/retention.ts'
import * as sheet from './sheets/sheet.ts'
import * as taxResults from './tax/comparison.ts'
import * as deductions from './tax/deductions.ts'
import * as taxHistory from './tax/history.ts'
import * as insurance from './tax/insurance.ts'
import * as opening from './tax/opening.ts'
import * as taxPeriods from './tax/periods.ts'
import * as tax from './tax/preview.ts'
import * as webhook from './webhooks/webhooks.ts'

const isCall = (value: unknown): value is Call =>
  typeof value === 'object' && value !== null && 'route' in value && 'errors' in value

/** Names the calls that exist once for each chat provider: `larkAuthorize`. */
const nameByProvider = (calls: Readonly<Record<string, Call>>, suffix: string): Readonly<Record<string, Call>> =>
  Object.fromEntries(Object.entries(calls).map(([provider, call]) => [`${provider}${suffix}`, call]))

/** The modules of each subject. The subjects are the tags of the API document. */
const modules = {
  auth: [
    account,
    platformSignIn,
    nameByProvider(platformSignIn.authorizeCalls, 'Authorize'),
    nameByProvider(platformSignIn.jsConfigCalls, 'JsConfig'),
    profile,
  ],
  access: [role],
  approvals: [approval],
  directory: [member, memberFile, memberImport],
  invites: [invite],
  company: [company],
  'platform-binding': [binding, installing, colleagues],
  sheets: [sheet],
  payslips: [slip, testSend, approve, mail, card, evidence, memberData, feedback, reach],
  employees: [employee, own, ownTax, verify],
  agency: [agency],
  billing: [order],
  operator: [ops, opsShop],
  files: [files],
  notifications: [notifications],
  tax: [tax, deductions, insurance, opening, taxPeriods, taxHistory, taxResults],
  reports: [chart, search],
  webhooks: [webhook],
  retention: [retention, privacyNotice, erasure],
  'api-keys': [apiKeys],
  'api-v1': [v1Employees, v1WageSheets, v1Batches, v1Payslips, v1Webhooks, v1Key],
} as const satisfies Readonly<Record<string, readonly object[]>>
export type Subject = keyof typeof modules

const namedCalls = (Object.keys(modules) as Subject[]).flatMap((subject) =>
  modules[subject].flatMap((module) =>
    Object.entries<unknown>({ ...module }).flatMap(([name, call]) => (isCall(call) ? [{ name, subject, call }] : [])),
  ),
)

export const allCalls: readonly Call[] = namedCalls.map(({ call }) => call)

/** The name under which the contract exports a call: unique, unlike the last segment of its path. */
export const callNames: ReadonlyMap<Call, { readonly name: string; readonly subject: Subject }> = new Map(
  namedCalls.map(({ call, name, subject }) => [call, { name, subject }]),
)
