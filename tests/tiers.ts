/**
 * Lists the api tests and browser journeys of the quick tier (`npm test`). Every other file of tests/api and tests/e2e
 * runs only in `npm run test:full`; all other folders run completely in both tiers. The main path of a subject and its
 * permissions belong here.
 */
export type Tier = 'quick' | 'full' | 'rest'
export const isTier = (word: string): word is Tier => word === 'quick' || word === 'full' || word === 'rest'
/**
 * The environment variable by which the runner tells vite.config.ts the tier. Without it, as in `npx vitest`, all files
 * are included.
 */
export const tierVariable = 'XINHAN_TEST_TIER'

const quickApi = `
  access/role
  agency/agency-serve agency/agency agency/agency-admins
  approvals/approval
  attacks/attack-rights attacks/attack-scope
  auth/account auth/account-factor auth/account-register
  billing/sms-product
  company/company-home
  directory/department-change directory/departments directory/leaver directory/member-change directory/member-list
  directory/people-scope
  payslips/employee-open payslips/employee-slips payslips/questions payslips/receipt payslips/slip-approval
  payslips/slip-care payslips/slip-deliver payslips/slip-figures payslips/slip-mail payslips/slip-send
  payslips/slip-undo
  platform-binding/binding-callback
  sheets/sheet-answers sheets/sheet-journey sheets/sheet-last-month sheets/titles
  system/one-transaction system/runtime-migrate
  tax/tax-insurance tax/tax-period tax/tax-year
  webhooks/webhook
`

/** The main journeys, each the shortest path through its subject. */
const quickJourneys = `
  access/roles
  auth/login-steps
  billing/paying
  company/company-info
  directory/import
  payslips/after-sending payslips/main-job
  platform-binding/chat-platform
  reports/charts
  sheets/sheet-check
  system/clicks system/phone
  tax/tax-period
`

const toPaths = (folder: string, names: string): string[] =>
  names
    .trim()
    .split(/\s+/)
    .map((name) => `tests/${folder}/${name}.test.ts`)

const quickFiles: Record<'api' | 'e2e', string[]> = { api: toPaths('api', quickApi), e2e: toPaths('e2e', quickJourneys) }

/** Returns the include and exclude patterns of one folder of tests in a tier. */
export function selectFiles(folder: 'api' | 'e2e', tier = process.env[tierVariable]): { include: string[]; exclude: string[] } {
  const all = [`tests/${folder}/**/*.test.ts`]
  if (tier === 'quick') return { include: quickFiles[folder], exclude: [] }
  if (tier === 'rest') return { include: all, exclude: quickFiles[folder] }
  return { include: all, exclude: [] }
}
