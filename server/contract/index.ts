/** Every call of the product, for the mount, the document and the walks of the tests. Pages import from the subject's own file. */
import * as account from './account/account.ts'
import * as platformSignIn from './account/platform-sign-in.ts'
import * as profile from './account/profile.ts'
import type { Call } from './call.ts'
import * as agency from './corp/agency.ts'
import * as approval from './corp/approval.ts'
import * as company from './corp/company.ts'
import * as desk from './corp/desk.ts'
import * as ops from './corp/ops.ts'
import * as opsShop from './corp/ops-shop.ts'
import * as order from './corp/order.ts'
import * as role from './corp/role.ts'
import * as employee from './own/employee.ts'
import * as own from './own/own.ts'
import * as ownTax from './own/own-tax.ts'
import * as binding from './people/binding.ts'
import * as colleagues from './people/colleagues.ts'
import * as memberFile from './people/file.ts'
import * as found from './people/find.ts'
import * as memberImport from './people/import.ts'
import * as installing from './people/installing.ts'
import * as invite from './people/invite.ts'
import * as member from './people/member.ts'
import * as reach from './people/reach.ts'
import * as verify from './people/verify.ts'
import * as sheet from './sheet/sheet.ts'
import * as feedback from './slip/feedback.ts'
import * as slip from './slip/slip.ts'
import * as card from './wage/card.ts'
import * as chart from './wage/chart.ts'
import * as deductions from './wage/deductions.ts'
import * as evidence from './wage/evidence.ts'
import * as insurance from './wage/insurance.ts'
import * as mail from './wage/mail.ts'
import * as taxPeriods from './wage/periods.ts'
import * as approve from './wage/send/approve.ts'
import * as rehearsal from './wage/send/rehearsal.ts'
import * as tax from './wage/tax/tax.ts'
import * as taxHistory from './wage/tax/tax-history.ts'
import * as taxResults from './wage/tax/tax-results.ts'
import * as webhook from './wage/webhook.ts'

const isCall = (value: unknown): value is Call =>
  typeof value === 'object' && value !== null && 'at' in value && 'refuses' in value

export const calls: readonly Call[] = [
  account,
  platformSignIn,
  profile,
  role,
  approval,
  member,
  memberFile,
  memberImport,
  invite,
  reach,
  company,
  binding,
  installing,
  colleagues,
  sheet,
  slip,
  rehearsal,
  approve,
  mail,
  card,
  evidence,
  feedback,
  employee,
  own,
  ownTax,
  verify,
  agency,
  order,
  ops,
  opsShop,
  desk,
  tax,
  deductions,
  insurance,
  taxPeriods,
  taxHistory,
  taxResults,
  chart,
  webhook,
  found,
].flatMap((room) => Object.values(room).filter(isCall))
