/**
 * All errors of calls: the code on the wire and the default message for the user. Error codes occur nowhere else. A
 * more specific message may be given where the error is thrown; the code never changes. `status`: the HTTP status for a
 * program with an API key, where it is not 400.
 */
export const errorCodes = {
  invalid: { code: 100001, message: '填写的内容有误，请检查' },
  unreadable_sheet: { code: 100002, status: 422, message: '这个文件读不出工资表，请检查后重新上传' },
  signed_out: { code: 100018, status: 401, message: '登录已失效，请重新登录' },
  transferred: { code: 100038, message: '移交成功' },
  wrong_password: { code: 100101, message: '手机号或密码不正确' },
  wrong_code: { code: 100102, message: '验证码不正确或已过期，请检查，或重新获取' },
  locked: { code: 100103, status: 429, message: '尝试次数过多，请稍后再试' },
  /** Also for an administrator who exports amounts: `verifyIdentity`, then the same call again. */
  view_locked: { code: 100104, message: '请先验证身份再查看工资条' },
  /** The phone is verified, but an account already has it, maybe another person's: requires its password, or `next_holder`. */
  other_holder: { code: 100105, message: '这个手机号登记过账号。是您本人的，请输入原来的登录密码' },
  /** The company changed the member's phone, and nobody has confirmed that it is theirs. */
  unconfirmed_holder: { code: 100106, message: '公司更换了您登记的手机号。为保护您的工资信息，请先确认是您本人' },
  /** The first view starts a timer, so the employee is warned before it. `data.minutes`. */
  closes_after_view: { code: 100107, message: '这张工资条打开后，过一段时间会自动关闭' },
  /** The payslip has closed: it can be confirmed and asked about, but not read. `data` says what the employee may do. */
  slip_closed: { code: 100108, message: '这张工资条已按公司设置阅后即焚，如需再看请联系薪酬管理员' },
  not_permitted: { code: 100403, status: 403, message: '没有权限进行此操作' },
  not_found: { code: 100404, status: 404, message: '没有找到，可能已被删除或不属于您' },
  wrong_state: { code: 100409, status: 409, message: '当前状态下不能这样操作，请刷新后重试' },
  too_often: { code: 100429, status: 429, message: '操作过于频繁，请稍后再试' },
  sms_used_up: { code: 100501, status: 409, message: '短信余量不足，请充值或改用其他渠道' },
  platform_refused: { code: 100502, status: 502, message: '办公平台拒绝了请求' },
  /** The company's edition does not include the feature. `data.feature`. */
  not_in_edition: { code: 100510, status: 403, message: '这是高级版的功能，请在「服务管理」开通' },
  no_room: {
    code: 100507,
    status: 507,
    message: '服务器的存储空间不足，暂时不能保存或上传；已有的工资条可以照常查看，请联系服务商，稍后再试',
  },
  internal_error: { code: 100500, status: 500, message: '服务出了问题，请稍后再试；如持续出现请联系我们' },
} as const

export type ErrorName = keyof typeof errorCodes
export const successCode = 0

/** The HTTP status for a program with an API key; users' pages get 200 and the envelope. */
export function getHttpStatus(name: ErrorName): number {
  const error = errorCodes[name]
  return 'status' in error ? error.status : 400
}

/** Errors that any call may return, so that contracts do not repeat them. */
export const commonErrors: readonly ErrorName[] = [
  'invalid',
  'signed_out',
  'transferred',
  'not_permitted',
  'not_in_edition',
  'too_often',
  'no_room',
  'internal_error',
]
