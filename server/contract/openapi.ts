/** The contract as an OpenAPI 3.1 document. */
import * as z from 'zod/mini'
import type { CallAccess } from './access.ts'
import type { Call } from './call.ts'
import { commonErrors, errorCodes } from './errors.ts'

/** The reason for all calls of the operations area. */
const ops = 'Whoever runs the server has an area of his own, which never shows pay (issue 18)'

/**
 * Calls that are not in the specification and its list of calls, each with its reason. Shown at /api and in the OpenAPI
 * document; `tests/contract/documents.test.ts` compares it with that list where the list is available.
 */
export const callsBeyondSpec: Readonly<Record<string, string>> = {
  'GET /api/pay/getInvoiceFile': 'What was issued is downloaded by those who applied for it',
  'POST /api/Pay/getChangePrice': 'What a change of edition costs is known before it is ordered',
  'POST /api/Pay/changeEdition': 'A dearer edition in the middle of a year, for the difference (issue 18)',
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
  'POST /api/order/closeOrder': 'An order that somebody does not want any more must not be paid by accident',
  'POST /api/agency/splitSheet':
    'One sheet of an agency carries people of several companies (issue 18): looked at before anything goes anywhere',
  'POST /api/agency/uploadSplit': 'Each part of such a sheet goes into its own company, and nowhere else',
  'POST /api/agency/getServiceList': 'Whoever let an agency in must see which ones serve, where and until when',
  'POST /api/agency/endService': 'What was approved can be taken back, at once',
  'POST /api/tax/confirmDeduction':
    'What people may deduct holds for a year once they have confirmed it (tax-rules §10.2); many at once each December',
  'POST /api/index/checkTotp': 'Administrators may turn a second factor on; a sign-in then has a second step',
  'POST /api/index/getMyCorps': 'Switching to another company of mine while signed in; the answer of login is gone by then',
  'POST /api/Member/startTotp': 'The second factor, turned on in two steps',
  'POST /api/Member/confirmTotp': 'The second factor, turned on in two steps',
  'POST /api/Member/stopTotp': 'The second factor, turned off',
  'POST /api/Member/getSessionList': 'Where I am signed in: whoever lost a phone must be able to look',
  'POST /api/Member/endSession': 'Ending a session on a device that one does not hold any more',
  'POST /api/Member/moveMembers': 'Several people into another department, all or none; editMemberInfo changes one',
  'POST /api/Member/getImport': 'An import is read and carried out while its page waits, and outlives it',
  'POST /api/Member/getImportRows': 'What an import would do with each row is looked at before anything is done',
  'POST /api/Member/answerImport':
    'A row that contradicts the roster is a question, and nobody becomes somebody else without an answer',
  'POST /api/Member/undoImport': 'A whole import taken back within a day',
  'POST /api/Member/exportImportFaults': 'The roster with its problems as comments, for whoever corrects it in Excel',
  'POST /api/Member/getMemberEvents': 'The page of one person says what was changed of him, and who looked at what is sealed',
  'POST /api/Member/exportMembers': 'The roster leaves the product as it came: what a list shows, as a sheet',
  'POST /api/Member/showIdCard': 'What is sealed is masked; whoever must read it says so, and leaves a line',
  'POST /api/tax/showMemberTax':
    'The page of one person has his deductions and bases, masked until somebody asks; each look leaves a line',
  'POST /api/wage/exportEvidence':
    'Evidence of a period (issue 14): an arbitration asks for a year of one person, an audit for a month of everybody',
  'POST /api/wage/getMemberSlips': 'The page of one person shows his slips by month; calls.md lists slips by batch only',
  'POST /api/Member/getReachList': 'Whom a slip may not reach is known before pay day, not after',
  'POST /api/Member/getInviteStates':
    'Each person of the roster shows how he stands with his invitation; sendInviteCode tells only how many',
  'POST /api/Member/getInviteList': 'What was sent to one person, when, and what became of it',
  'POST /api/Member/getJoinList':
    'Who came by the picture and is on no roster waits for a decision, not only for somebody to read the news',
  'POST /api/Member/decideJoin': 'The decision about him',
  'POST /api/Member/getProfile': 'The page 我的账号',
  'POST /api/Member/setProfile': 'How the header calls me',
  'POST /api/Member/setAvatar': 'My picture in the header',
  'POST /api/Notice/getNoticeSetting': 'How I hear of notices beside the desk: by chat or mail, kind by kind',
  'POST /api/Member/closeHint': 'A hint that was read stays away, on every device (issue 17)',
  'POST /api/Notice/saveNoticeSetting': 'The same, chosen',
  'POST /api/User/endUserSessions': 'Signing an administrator out who has left, before his powers are sorted out',
  'POST /api/User/applyConfirmPhone':
    'A phone that others have changed opens nothing until a second administrator has confirmed it',
  'POST /api/corp/setLogo': "The company's mark in the bar, from a picture that Upload has taken",
  'POST /api/corp/installPlatform':
    'calls.md binds by credentials that are typed; an application of the store is installed on the platform',
  'POST /api/corp/finishInstall': 'The way back from there, with a state that names the company',
  'POST /api/corp/checkPlatform': 'After a permission was given on the platform one looks whether that was all',
  'POST /api/Corp/searchColleagues': 'WeCom hides names from applications of its store, and searches by them (issue 15)',
  'POST /api/Corp/resolveColleague':
    "Whom somebody chose in the client's own picker is looked up here before he is said to be anybody",
  'POST /api/Corp/exportColleagues':
    'Who of the platform is whom, for whoever compares it on paper; hidden names are written by the platform',
  'POST /api/Corp/getColleaguesFile': 'The platform takes its time to write them',
  'POST /api/Corp/getSyncChanges':
    'What a reading of the directory would change is looked at before it is carried out (issue 15)',
  'POST /api/wage/exportProblems': 'The uploaded sheet with its problems as comments, for whoever corrects it in Excel',
  'POST /api/wage/getLayout': 'How slips are arranged, when one comes back to the step; editPaySheetTitle only writes',
  'POST /api/wage/getSendOptions': 'What step 4 has chosen, when one comes back to it or a schedule is undone',
  'POST /api/wage/getSendPlan': 'The plan as options change; sendPaySheet freezes one and takes the place of the plan before',
  'POST /api/wage/getSheetGrid': 'The sheet drawn as a grid of any size: rows are asked for as they come into view',
  'POST /api/wage/getSheetRow': 'One row opened on the page of problems, each of its cells to be corrected there',
  'POST /api/wage/undoEdit': 'Taking back what was corrected on the page of problems; calls.md has no way back',
  'POST /api/wage/clearUpload': 'An upload outlives its page, so giving it up is said and not only left',
  'POST /api/wage/getUploadProgress': 'Real progress of the recognition of a large sheet',
  'POST /api/wage/getSalary': "One slip for the administrator's drawer, with its timeline",
  'POST /api/wage/setting/leaver': 'Whether and how long people who have left read their own slips is for each company to say',
  'POST /api/wage/getCardRead': 'Whether somebody has seen the message in his chat is known to some platforms only',
  'GET /api/wage/setting/mail': 'Mail as a way to reach people needs a mailbox of the company',
  'POST /api/wage/setting/mail': 'Mail as a way to reach people needs a mailbox of the company',
  'DELETE /api/wage/setting/mail': 'Mail as a way to reach people needs a mailbox of the company',
  'POST /api/wage/setting/mail/test': 'A mailbox is used only after a message by it was taken; else a whole batch finds out',
  'GET /api/corp/webhooks': "A company's own systems are told what happens to slips (issue 13)",
  'POST /api/corp/webhooks': 'An address to tell is kept, changed, paused',
  'POST /api/corp/webhooks/secret': 'Secrets are replaced without a moment in which nothing is signed',
  'DELETE /api/corp/webhooks': 'An address that is no longer told is forgotten',
  'POST /api/corp/webhooks/test': 'Whether an address takes what it is told is tried before slips depend on it',
  'POST /api/corp/webhooks/log': 'What an address was told and what it answered',
  'POST /api/corp/webhooks/redeliver': 'What a receiver lost is told once more',
  'POST /api/wage/settleUnknown': 'What became of a message can be unknown; who knows better says so, or has it sent once more',
  'POST /api/wage/applySend': 'A second administrator approves what is sent, where the company wants it (issue 13)',
  'POST /api/wage/getSendApproval': 'How that approval stands, for whoever asked',
  'POST /api/Approval/getSendToApprove': 'What is decided on: people, ways, time and sums, nobody by name',
  'POST /api/wage/rehearse': 'A batch is tried out on oneself before anybody is paid by it (issue 13)',
  'POST /api/wage/getRehearsalList': 'What became of the messages of a rehearsal, and whether it was opened',
  'POST /Api/Mobile/getRehearsal': 'What a rehearsal leads to: the slip as it would look, for its one reader',
  'POST /api/wage/sendNow': 'Whoever is sure need not wait until the time for undoing is over',
  'POST /api/wage/setSchedule': 'Another time for what is scheduled, without planning it anew',
  'POST /api/wage/setSendOptions': 'Keeping what step 4 has chosen; whoever was overtaken is told',
  'POST /api/tax/getPeriod': 'How far one month is while it is computed, and where its incomes come from',
  'POST /api/tax/clearPeriod': 'A month begun by mistake; one that was ever locked stays',
  'POST /api/tax/reopenPeriod': 'A locked month is opened again only with a reason, which is kept (issue 16)',
  'POST /api/tax/getPersonTax': 'Each step of one person; in the list of ten thousand people they would be most of the answer',
  'POST /api/tax/getYearEndList': 'After the year each person settles it: who owes and who gets back is told before (issue 16)',
  'POST /api/tax/getYearEndPerson': 'The steps of one person’s settlement, with what he had elsewhere',
  'POST /api/tax/compareWithheld':
    'The client of the tax office computes too: what it says is compared before it is paid (issue 16)',
  'POST /api/tax/saveTaxYear': 'A company that begins in mid-year has sums of before; first wage and 60,000 are said of a year',
  'POST /api/index/find': 'The page /find searches all that one may see; every other search is of one list',
  'POST /api/Charts/compareMonths': 'Who is paid more or less than in another month, and why (issue 17); charts tell only sums',
  'POST /Api/Mobile/confirmHolder': 'Whoever was given another phone by his company says that he is still himself',
  'POST /Api/Mobile/watchSlip': 'A slip that was withdrawn or corrected must not stay on a screen as if it were true',
  'POST /Api/Mobile/findSlip': 'A message leads to a slip, whichever of my companies I am in at the moment',
  'POST /Api/Mobile/getLookList':
    'Who is paid may know who looked at it (Personal Information Protection Law, articles 44 and 45)',
  'POST /Api/Mobile/getToldList': 'What he was told and whether he has read it; getNoticeList is for administrators',
  'POST /Api/Mobile/getReceipt': 'The receipt as a file with the keys by which it is checked offline, of earlier versions too',
  'POST /api/wage/answerFeedback': 'Twenty people ask about one line: one answer, each in his own thread (issue 14)',
  'POST /api/wage/getFeedbackOwners': 'Who could answer a question instead of me (issue 14)',
  'POST /api/wage/setFeedbackOwner': "A question is somebody's to answer, and can be given on (issue 14)",
  'POST /api/wage/getFeedbackPicture': 'Pictures with a question are read by its two sides only (issue 14)',
  'POST /Api/Mobile/getFeedbackImage': 'Pictures with a question are read by its two sides only (issue 14)',
  'POST /Api/Mobile/getSlipTax': 'How the tax on a slip came about, step by step (issue 16)',
  'POST /Api/Mobile/getSlipChanges': 'Why the net pay is another one than last month, so that nobody has to ask (issue 14)',
  'POST /Api/Mobile/exportMine': 'A copy of everything that is held about him (Personal Information Protection Law, article 45)',
  'POST /Api/Mobile/getMe': 'Name, companies and settings of an employee; `role` is for administrators',
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
