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
  account account-factor account-register agency-serve agency approval attack-rights attack-scope binding-callback company-home
  department-change departments employee-open employee-slips leaver member-change member-list one-transaction
  people-scope questions receipt role runtime-migrate sheet-answers sheet-journey sheet-last-month slip-approval slip-care slip-deliver
  slip-figures slip-mail slip-send slip-undo sms-product tax-insurance tax-period tax-year titles webhook
`

/** The main journeys, each the shortest path through its subject. */
const quickJourneys = `
  after-sending charts chat-platform clicks company-info import login-steps main-job paying phone roles sheet-check tax-period
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
