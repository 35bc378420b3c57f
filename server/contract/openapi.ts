/** The contract as an OpenAPI 3.1 document. */
import * as z from 'zod/mini'
import type { CallAccess } from './access.ts'
import type { Call } from './call.ts'
import { commonErrors, errorCodes } from './errors.ts'

/** The reason for all calls of the operations area. */
const ops = 'Operators of the server have a separate area, which never shows pay (issue 18).'

/**
 * Calls that are not in the specification and its list of calls, each with its reason. Shown at /api and in the OpenAPI
 * document; `tests/contract/documents.test.ts` compares it with that list where the list is available.
 */
export const callsBeyondSpec: Readonly<Record<string, string>> = {
  'GET /api/pay/getInvoiceFile': 'Lets applicants download an issued invoice.',
  'POST /api/Pay/getChangePrice': 'Shows the price of an edition change before it is ordered.',
  'POST /api/Pay/changeEdition': 'Changes to a higher edition in the middle of a year for the price difference (issue 18).',
  'POST /api/ops/beginOperator': ops,
  'POST /api/ops/confirmOperator': ops,
  'POST /api/ops/signInOperator': ops,
  'POST /api/ops/signOutOperator': ops,
  'POST /api/ops/getOperatorList': ops,
  'POST /api/ops/inviteOperator': ops,
  'POST /api/ops/endOperator': ops,
  'POST /api/ops/getOperatorLog': ops,
  'POST /api/ops/getCompanyList': ops,
  'POST /api/ops/getOpsOrderList': ops,
  'POST /api/ops/confirmTransfer': ops,
  'POST /api/ops/refundOrder': ops,
  'POST /api/ops/getOpsInvoiceList': ops,
  'POST /api/ops/issueInvoice': ops,
  'POST /api/ops/returnInvoice': ops,
  'POST /api/ops/reverseInvoice': ops,
  'POST /api/ops/getPriceList': ops,
  'POST /api/ops/setPrice': ops,
  'POST /api/ops/getOpsNews': ops,
  'POST /api/ops/publishNews': ops,
  'POST /api/ops/withdrawNews': ops,
  'POST /api/ops/getOpsHealth': ops,
  'POST /api/ops/resumeSending': ops,
  'POST /api/order/closeOrder': 'Prevents an order that is no longer wanted from being paid by accident.',
  'POST /api/agency/splitSheet':
    'One wage sheet of an agency can contain members of several companies (issue 18); the split is reviewed before anything is uploaded.',
  'POST /api/agency/uploadSplit': 'Uploads each part of such a wage sheet into its own company only.',
  'POST /api/agency/getServiceList':
    'Shows a company that has approved an agency which agencies serve it, since when and until when.',
  'POST /api/agency/endService': 'Revokes an approved agency at once.',
  'POST /api/tax/confirmDeduction':
    'Confirmed deductions hold for a year (tax-rules §10.2); many are confirmed at once each December.',
  'POST /api/index/checkTotp': 'Administrators may enable a second factor, so sign-in has a second step.',
  'POST /api/index/getMyCorps':
    'Lets a signed-in user switch to another company when the response of `login` is no longer available.',
  'POST /api/Member/startTotp': 'Enables the second factor in two steps.',
  'POST /api/Member/confirmTotp': 'Enables the second factor in two steps.',
  'POST /api/Member/stopTotp': 'Disables the second factor.',
  'POST /api/Member/getSessionList': 'Shows where the user is signed in, which is needed after a phone is lost.',
  'POST /api/Member/endSession': 'Ends a session on a device that the user no longer has.',
  'POST /api/Member/moveMembers': 'Moves several members to another department, all or none; `editMemberInfo` changes one.',
  'POST /api/Member/getImport': 'An import is read and executed while its page waits, and continues when the page is closed.',
  'POST /api/Member/getImportRows': 'Shows what an import would do with each row before it is executed.',
  'POST /api/Member/answerImport':
    'A row that contradicts the roster needs an answer, so that no member is changed into another by mistake.',
  'POST /api/Member/undoImport': 'Undoes a whole import within a day.',
  'POST /api/Member/exportImportFaults': 'Exports the roster with its issues as comments, for correction in Excel.',
  'POST /api/Member/getMemberEvents': 'The page of one member shows its changes and who viewed encrypted data.',
  'POST /api/Member/exportMembers': 'Exports the members of a list as a spreadsheet that can be imported again.',
  'POST /api/Member/showIdCard': 'Encrypted fields are masked; viewing one in full is a deliberate request and is recorded.',
  'POST /api/tax/showMemberTax':
    'The page of one member shows deductions and insurance bases, masked until requested; each view is recorded.',
  'POST /api/wage/exportEvidence':
    'Exports the evidence of a period (issue 14): an arbitration asks for a year of one member, an audit for a month of all.',
  'POST /api/wage/getMemberSlips': 'The page of one member shows payslips by month; calls.md lists payslips by batch only.',
  'POST /api/Member/getReachList': 'Shows before pay day which members a payslip may not reach.',
  'POST /api/Member/getInviteStates':
    'The roster shows the invitation status of each member; `sendInviteCode` returns only a count.',
  'POST /api/Member/getInviteList': 'Shows the invitations of one member, with time and outcome.',
  'POST /api/Member/getJoinList':
    'Users who came by the join code and are on no roster wait for a decision, which a notification alone does not provide.',
  'POST /api/Member/decideJoin': 'Accepts or rejects a join request.',
  'POST /api/Member/getProfile': 'Returns the data of the page 我的账号.',
  'POST /api/Member/setProfile': 'Sets the display name in the header.',
  'POST /api/Member/setAvatar': 'Sets the picture in the header.',
  'POST /api/Notice/getNoticeSetting': 'Returns the additional channels of notifications, chat or email, by kind.',
  'POST /api/Member/closeHint': 'Keeps a dismissed hint hidden on every device (issue 17).',
  'POST /api/Notice/saveNoticeSetting': 'Saves the additional channels of notifications.',
  'POST /api/User/endUserSessions': 'Signs out an administrator who has left before their powers are transferred.',
  'POST /api/User/applyConfirmPhone':
    'A phone changed by someone else grants no access until a second administrator has confirmed it.',
  'POST /api/corp/setLogo': 'Sets the company logo in the header, from a picture uploaded by `Upload`.',
  'POST /api/corp/installPlatform': 'calls.md binds by typed credentials; a store application is installed on the platform.',
  'POST /api/corp/finishInstall': 'Completes the installation on return from the platform, with a state that names the company.',
  'POST /api/corp/checkPlatform': 'Verifies a permission after it was granted on the platform.',
  'POST /api/Corp/searchColleagues': 'WeCom hides names from store applications but lets them search by name (issue 15).',
  'POST /api/Corp/resolveColleague': "Looks up the user selected in the client's own picker before they are matched.",
  'POST /api/Corp/exportColleagues':
    'Exports the matches of platform users for comparison on paper; the platform fills in hidden names.',
  'POST /api/Corp/getColleaguesFile': 'The platform prepares the file with names asynchronously.',
  'POST /api/Corp/getSyncChanges': 'Shows the changes of a directory sync before it is applied (issue 15).',
  'POST /api/wage/exportProblems': 'Exports the uploaded wage sheet with its issues as comments, for correction in Excel.',
  'POST /api/wage/getLayout': 'Returns the layout when the user comes back to the step; `editPaySheetTitle` only writes.',
  'POST /api/wage/getSendOptions': 'Returns the options of step 4 when the user comes back to it or undoes a schedule.',
  'POST /api/wage/getSendPlan': 'Computes the plan as options change; `sendPaySheet` freezes a plan and replaces the one before.',
  'POST /api/wage/getSheetGrid': 'Shows a wage sheet of any size as a grid: rows are requested as they come into view.',
  'POST /api/wage/getSheetRow': 'Opens one row on the page of issues, where each of its cells can be corrected.',
  'POST /api/wage/undoEdit': 'Undoes a correction on the page of issues; calls.md has no call for it.',
  'POST /api/wage/clearUpload': 'An upload continues when its page is closed, so discarding it needs a call.',
  'POST /api/wage/getUploadProgress': 'Shows the real progress of recognizing a large wage sheet.',
  'POST /api/wage/getSalary': "Returns one payslip with its timeline for the administrator's drawer.",
  'POST /api/wage/setting/leaver': 'Each company decides whether and how long terminated employees may read their payslips.',
  'POST /api/wage/getCardRead': 'Only some platforms report whether a chat message was read.',
  'GET /api/wage/setting/mail': 'Email as a channel needs a mailbox of the company.',
  'POST /api/wage/setting/mail': 'Email as a channel needs a mailbox of the company.',
  'DELETE /api/wage/setting/mail': 'Email as a channel needs a mailbox of the company.',
  'POST /api/wage/setting/mail/test':
    'A mailbox is used only after it has sent an accepted test message; otherwise a whole batch would fail.',
  'GET /api/corp/webhooks': "Notifies a company's own systems of payslip events (issue 13).",
  'POST /api/corp/webhooks': 'Adds, changes or pauses a webhook address.',
  'POST /api/corp/webhooks/secret': 'Replaces a secret without a moment in which nothing is signed.',
  'DELETE /api/corp/webhooks': 'Deletes a webhook address that is no longer needed.',
  'POST /api/corp/webhooks/test': 'Tests a webhook address before payslips depend on it.',
  'POST /api/corp/webhooks/log': 'Shows the events sent to a webhook address and its responses.',
  'POST /api/corp/webhooks/redeliver': 'Delivers an event again that the receiver has lost.',
  'POST /api/wage/settleUnknown':
    'The delivery of a message can be unknown; a user who knows the outcome records it or has the message sent once more.',
  'POST /api/wage/applySend': 'A second administrator approves a send where the company requires it (issue 13).',
  'POST /api/wage/getSendApproval': 'Shows the requester the status of the approval.',
  'POST /api/Approval/getSendToApprove': 'Shows the approver recipients count, channels, time and totals, without names.',
  'POST /api/wage/rehearse': 'Lets a user test a batch on themselves before it is sent (issue 13).',
  'POST /api/wage/getRehearsalList': 'Shows the delivery of the messages of a test send and whether it was opened.',
  'POST /Api/Mobile/getRehearsal': 'Opens a test send for its recipient: the payslip as it would look.',
  'POST /api/wage/sendNow': 'Lets a user skip the time in which a send can be undone.',
  'POST /api/wage/setSchedule': 'Changes the time of a scheduled batch without a new plan.',
  'POST /api/wage/setSendOptions': 'Saves the options of step 4 and reports a conflicting change.',
  'POST /api/tax/getPeriod': 'Shows the progress of a tax period while it is computed, and the sources of its incomes.',
  'POST /api/tax/clearPeriod': 'Deletes a tax period created by mistake; one that was ever locked stays.',
  'POST /api/tax/reopenPeriod': 'A locked tax period can be reopened only with a reason, which is stored (issue 16).',
  'POST /api/tax/getPersonTax':
    'Returns the steps of one member; in a list of ten thousand members they would be most of the response.',
  'POST /api/tax/getYearEndList': 'Shows before the annual reconciliation who owes and who gets a refund (issue 16).',
  'POST /api/tax/getYearEndPerson': "Shows the steps of one member's annual reconciliation, with income from elsewhere.",
  'POST /api/tax/compareWithheld':
    "The tax office's client computes too; its result is compared before the tax is paid (issue 16).",
  'POST /api/tax/saveTaxYear':
    'A company that starts in the middle of a year has amounts from before; first wage and the 60,000 rule apply to a year.',
  'POST /api/index/find': 'The page /find searches everything that the user may view; every other search covers one list.',
  'POST /api/Charts/compareMonths': 'Shows whose pay changed from another month, and why (issue 17); charts show only totals.',
  'POST /Api/Mobile/confirmHolder': 'Lets an employee whose phone was changed by the company confirm their identity.',
  'POST /Api/Mobile/watchSlip': 'A withdrawn or corrected payslip must not stay on a screen as if it were valid.',
  'POST /Api/Mobile/findSlip': 'A message leads to a payslip whichever company the user is currently in.',
  'POST /Api/Mobile/getLookList':
    'Employees may know who viewed their payslips (Personal Information Protection Law, articles 44 and 45).',
  'POST /Api/Mobile/getToldList':
    'Shows employees their notifications and whether they have read the payslip; `getNoticeList` is for administrators.',
  'POST /Api/Mobile/getReceipt': 'Returns the receipts as files with the keys to verify them offline, for earlier versions too.',
  'POST /api/wage/answerFeedback':
    'Many employees can ask about one item: one reply goes to each in their own thread (issue 14).',
  'POST /api/wage/getFeedbackOwners': 'Lists who could answer a thread instead of the current user (issue 14).',
  'POST /api/wage/setFeedbackOwner': 'A thread has an owner who answers it, and can be reassigned (issue 14).',
  'POST /api/wage/getFeedbackPicture': 'Only the two sides of a thread may view its pictures (issue 14).',
  'POST /Api/Mobile/getFeedbackImage': 'Only the two sides of a thread may view its pictures (issue 14).',
  'POST /Api/Mobile/getSlipTax': 'Explains the tax on a payslip step by step (issue 16).',
  'POST /Api/Mobile/getSlipChanges': 'Explains why net pay differs from last month, so that nobody has to ask (issue 14).',
  'POST /Api/Mobile/exportMine':
    'Gives employees a copy of all data stored about them (Personal Information Protection Law, article 45).',
  'POST /Api/Mobile/getMe': 'Returns name, companies and settings of an employee; `role` is for administrators.',
}

const formatAccess = (who: CallAccess): string =>
  typeof who === 'string'
    ? who
    : `powers ${who.powers.join(', ')} of ${who.companyType === 'any' ? 'any company' : `a ${who.companyType} company`} (4 holds all)`

const toJsonSchema = (schema: z.ZodMiniType, io: 'input' | 'output') => {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { target: 'draft-2020-12', io })
  return rest
}

function buildOperation(call: Call) {
  const input = toJsonSchema(call.input, 'input')
  const codes = [...new Set([...call.errors, ...commonErrors])]
  const envelope = {
    type: 'object',
    required: ['error_code', 'error_msg', 'errmsg', 'data'],
    properties: {
      error_code: { type: 'integer', description: `0, or ${codes.map((name) => `${errorCodes[name].code} ${name}`).join(', ')}` },
      error_msg: { type: 'string' },
      errmsg: { type: 'string' },
      data: toJsonSchema(call.output, 'output'),
    },
  }
  const body =
    call.requestType === 'file'
      ? {
          content: {
            'multipart/form-data': {
              schema: { ...input, properties: { ...input.properties, file: { type: 'string', format: 'binary' } } },
            },
          },
        }
      : { content: { 'application/json': { schema: input } } }
  return {
    operationId: `${call.name}_${call.method.toLowerCase()}${call.path.replaceAll('/', '_')}`,
    summary: call.summary,
    ...(callsBeyondSpec[call.route] ? { 'x-beyond-the-specification': callsBeyondSpec[call.route] } : {}),
    description: `Who: ${formatAccess(call.access)}. ${call.idempotent ? 'Honours Idempotency-Key. ' : ''}Evidence: ${call.audit}. Rate: ${call.rateLimit}.`,
    tags: [call.path.split('/')[2]?.toLowerCase() ?? 'api'],
    ...(call.requestType === 'query'
      ? {
          parameters: Object.entries(input.properties ?? {}).map(([name, schema]) => ({
            name,
            in: 'query',
            required: input.required?.includes(name) ?? false,
            schema,
          })),
        }
      : { requestBody: body }),
    responses:
      call.responseType === 'redirect'
        ? { 302: { description: 'Where the browser goes on, whatever comes' } }
        : {
            200: {
              description: 'The envelope; every outcome that a user can cause',
              content:
                call.responseType === 'bytes' ? { 'application/octet-stream': {} } : { 'application/json': { schema: envelope } },
            },
          },
    ...(call.access === 'public' ? { security: [] } : {}),
  }
}

export function buildOpenApiDocument(calls: readonly Call[]) {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const call of calls) (paths[call.path] ??= {})[call.method.toLowerCase()] = buildOperation(call)
  return {
    openapi: '3.1.0',
    info: {
      title: '薪函 Xinhan',
      version: '1',
      description: 'Every answer is the envelope {error_code, error_msg, errmsg, data}. Paths match without regard to case.',
    },
    components: {
      securitySchemes: {
        token: { type: 'apiKey', in: 'header', name: 'user-token' },
        cookie: { type: 'apiKey', in: 'cookie', name: 'sid' },
      },
    },
    security: [{ token: [], cookie: [] }],
    paths,
  }
}
