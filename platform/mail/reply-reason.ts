/**
 * Finds the reason in a mail server's reply. Chinese providers (QQ, Exmail, 163, Aliyun) answer "550" to nearly
 * everything, so the text and the enhanced status code (RFC 3463) decide, and the reply code only if they are
 * inconclusive. A wrong reason makes the administrator correct an address that is right; therefore a reply that no rule
 * matches has no reason.
 */

/** The SMTP step that was rejected. `connect` includes greeting and encryption; `content` is the reply to the entire message. */
export type MailStep = 'connect' | 'sign_in' | 'sender' | 'recipient' | 'content'

export type MailReply = {
  readonly step: MailStep
  /** Reply code of three digits. */
  readonly reply: number
  readonly text: string
}

/**
 * `pace`: the sending mailbox sends too fast. `quota`: it has reached its daily or monthly limit. `recipient_pace`: the
 * recipient's mailbox receives too much at the moment. `blocked`: the provider does not allow this mailbox to send at
 * all. `mailbox`: the recipient does not exist.
 */
export type ReplyReason =
  | 'pace'
  | 'quota'
  | 'recipient_pace'
  | 'full'
  | 'mailbox'
  | 'sender'
  | 'blocked'
  | 'sign_in'
  | 'spam'
  | 'content'

type ReasonRule = {
  readonly reason: ReplyReason
  /** Steps to which the rule applies; all steps if undefined. */
  readonly steps?: readonly MailStep[]
  /** Subject and detail of the enhanced status code, as in "2.2" of 5.2.2. */
  readonly codes?: RegExp
  readonly pattern?: RegExp
}

const messageSteps: readonly MailStep[] = ['recipient', 'content']
const senderSteps: readonly MailStep[] = ['connect', 'sign_in', 'sender']

/** The first matching rule decides, so specific rules precede general ones. */
const reasonRules: readonly ReasonRule[] = [
  // QQ lists every possible cause in one reply, including "login frequency limited"; what can be corrected is the
  // authorization code.
  { reason: 'sign_in', steps: ['sign_in'], pattern: /password|credential|authori[sz]ation code|username|授权码|密码|账号错误/ },
  {
    reason: 'content',
    codes: /^(?:3\.4|2\.3)$/,
    pattern:
      /(?:message|mail|body) ?size|size (?:limit|exceed)|exceed\w*.{0,30}\bsize|message (?:is )?too (?:large|big)|邮件(?:过大|太大|大小)/,
  },
  { reason: 'mailbox', steps: messageSteps, codes: /^1\.(?:1|2|3|6|10)$/ },
  { reason: 'full', steps: messageSteps, codes: /^2\.2$/ },
  {
    reason: 'recipient_pace',
    steps: messageSteps,
    codes: /^2\.12[12]$/,
    pattern:
      /receiving (?:e?mail|messages) (?:at a rate|too)|recipient (?:has|have) (?:exceeded|reached) (?:their|its|the) (?:limit|hourly|receiv)|recipient receiv\w* (?:limit|rate|quota)|(?:收件人|对方).{0,10}(?:接收|收信|收件).{0,10}(?:频|过多|太多|上限|超)/,
  },
  // A daily or monthly limit. 5.4.5 is Gmail's, 5.1.90 and 5.7.23x are Microsoft's, the letters are NetEase's.
  {
    reason: 'quota',
    codes: /^(?:4\.5|1\.90|7\.23[23])$/,
    pattern:
      /\bdaily\b.{0,60}(?:limit|quota|exceed)|(?:limit|quota|exceed|maximum|too many).{0,80}(?:\bdaily\b|per day|a day|today|24[ -]?h|per month)|(?:day|daily|month|monthly)[ _-]?(?:quota|limit)|submissionquota|\b(?:mi:stc|rp:trc|hl:itc)\b|(?:今日|今天|当日|当天|每日|每天|单日|日发|日累计|本月|当月|24 ?小时).{0,14}(?:上限|限额|额度|限制|配额|超|用完)|欠费|余额不足/,
  },
  // A limit over a shorter period (seconds to hours), or on simultaneous connections.
  {
    reason: 'pace',
    codes: /^7\.28$/,
    pattern:
      /(?<!in)frequency|too frequent|frequent(?:ly)? (?:limit|send|connect|log)|too many(?! hops| received| redirects)|too much (?:mail|recipient|fail|connection)|too (?:fast|quick)|rate[ -]?limit|(?:message|sending|send|submission|connection|mail) rate|unusual rate|rate (?:is )?exceed|throttl|slow(?:ing)? down|concurren|thread limit|unexpected volume|flow control|limit(?:ed)?.{0,40}(?:per|an?|each) (?:second|minute|hour|session)|(?:per|in an?) (?:second|minute|hour|session).{0,40}(?:limit|exceed)|auth error limit|\b(?:hl:(?:icc|ifc|mep|rep)|mi:(?:sfq|dmc|ccl|cel)|rp:(?:qrc|drc|ccl|cel|rcl))\b|频率|频繁|频次|(?:过|太|速度)快|限流|限速|并发|(?:连接|发送|收件人|登录)(?:次数|数量?|人数)?(?:过多|太多)/,
  },
  // A limit on what the mailbox sends, without a period.
  {
    reason: 'quota',
    pattern:
      /(?:send|sending|sender|sent|outbound|outgoing|relay|message|mail) ?(?:limit|quota|count limit)\b|(?:limit|quota|maximum).{0,40}(?:\bsend|\bsent\b|outbound|outgoing)|over ?flow|exceeded threshold|(?:发送|发信|发件|外发|投递)(?:邮件)?(?:总?量|数量?|封数|总数|额度|配额|次数|人数|限额).{0,10}(?:上限|限额|超|用完|用尽|不足|限制|耗尽)|(?:额度|配额|限额)(?:不足|用完|已用完|耗尽|已耗尽|用尽|已满)/,
  },
  {
    reason: 'full',
    steps: messageSteps,
    pattern:
      /mailbox.{0,40}(?:\bfull\b|quota|exceeded)|(?:disk|storage|mailbox|maildir|user'?s?) ?quota|over ?quota|quota (?:is )?exceeded|exceed\w* .{0,20}quota|out of (?:disk|storage)|insufficient (?:disk|mailbox)|inbox is full|(?:邮箱|空间|容量|信箱).{0,8}(?:已满|不足|满了|超限|超出)/,
  },
  {
    reason: 'sender',
    codes: /^(?:1\.7|7\.60)$/,
    pattern:
      /sender address|send as\b|send on behalf|(?:mail ?from|from address|sender).{0,60}(?:must|same|equal|match|not owned|not allowed|not permitted|not authori[sz]ed|not verified|denied|mismatch|conform)|not owned by|\bdt:sum\b|发件人.{0,20}(?:不一致|不匹配|不符|必须|不允许|无权)|代发/,
  },
  // The account itself is restricted. 5.7.50x and 5.7.70x are Microsoft's codes for senders and tenants that it no
  // longer trusts.
  {
    reason: 'blocked',
    codes: /^(?:1\.8|7\.(?:50[123]|70[0-9]|750|139))$/,
    pattern: /outbound (?:sender|spam)|relay(?:ing)? (?:access )?(?:denied|not permitted|not allowed)|unable to relay/,
  },
  {
    reason: 'blocked',
    steps: [...senderSteps, 'content'],
    pattern:
      /user (?:is )?(?:suspended|locked|disabled|in blacklist|forbidden)|your account.{0,30}(?:suspend|block|lock|abnormal|restrict|disabled|banned)|(?:has|have) no permission|(?:账号|帐号|账户|发件人|用户|邮箱).{0,6}(?:冻结|封禁|锁定|限制|禁用|停用)/,
  },
  {
    reason: 'blocked',
    steps: senderSteps,
    pattern:
      /account.{0,30}(?:suspend|block|lock|abnormal|restrict|disabled|banned)|not (?:enabled|open)\b|is (?:disabled|rejected|locked)|black ?list|blocked|\b(?:hl:|mi:spb|wm:bl)|冻结|封禁|封号|被(?:锁定|限制|禁用|停用)|(?:未|没有)开(?:启|通)/,
  },
  // A reply that only says "quota" at sign-in or at MAIL FROM refers to the sender.
  {
    reason: 'quota',
    steps: [...senderSteps, 'content'],
    pattern: /quota|limit (?:is |was |has been )?(?:exceed|reach)|exceed\w*.{0,40}\blimit|上限|超限|限额/,
  },
  {
    reason: 'quota',
    steps: ['recipient'],
    pattern: /limit (?:is |was |has been )?(?:exceed|reach)|exceed\w*.{0,40}\blimit|上限|超限|限额/,
  },
  {
    reason: 'sender',
    steps: ['sender'],
    codes: /^[17]\./,
    pattern: /^(?:55[13]|501)\b|not allowed|denied|rejected|invalid|unauthori[sz]ed|发件/,
  },
  {
    reason: 'spam',
    steps: messageSteps,
    codes: /^7\./,
    pattern:
      /spam|black ?list|blocked|reputation|dmarc|\bspf\b|dkim|\b(?:dt:|wm:|hl:|mi:(?:spf|dma|spb)\b)|content (?:denied|rejected)|垃圾|拦截/,
  },
  {
    reason: 'mailbox',
    steps: messageSteps,
    codes: /^(?:1\.4|2\.1|4\.4)$/,
    pattern:
      /(?:user|mailbox|recipient|address(?:ee)?|account|rcpt(?: ?to)?|receiver|alias)\b.{0,80}?(?:unknown|invalid|not (?:exist|found|local|valid|available|known|listed)|doe?s ?n[o']?'?t exist|no longer|unavailable|disabled|inactive|suspended|deactivated|closed|rejected|undeliverable|unroute?able)|(?:unknown|invalid|no such|nonexistent|non-existent|bad|undeliverable|unroute?able|inactive|disabled|unable to find)\b.{0,30}?(?:user|mailbox|recipient|address|account|rcpt|person|alias|here)|domain (?:name )?not found|(?:收件人|用户|邮箱|账号|地址|域名).{0,12}(?:不存在|无效|停用|禁用|注销|错误|未找到|找不到)|(?:不存在|无效|没有此|没有该|查无此).{0,6}(?:收件人|用户|邮箱|账号|地址)/,
  },
]

/** Matches "class.subject.detail", but not the numbers of an address such as 5.7.1.12. */
const enhancedCodePattern = /(?<![\d.])[45]\.(\d\.\d{1,3})(?!\.?\d)/
/** Links to help pages are ignored because their words are misleading ("/help/spam-quota.html"). */
const linkPattern = /https?:\/\/\S+/g

/** Finds why a server rejected a step; null if its reply does not say. */
export function findReplyReason({ step, reply, text }: MailReply): ReplyReason | null {
  const normalizedText = `${reply} ${text.replace(linkPattern, ' ')}`.toLowerCase().replace(/\s+/g, ' ')
  const code = enhancedCodePattern.exec(normalizedText)?.[1]
  const matchedRule = reasonRules.find(
    (rule) =>
      (rule.steps?.includes(step) ?? true) &&
      ((code !== undefined && rule.codes?.test(code)) || rule.pattern?.test(normalizedText) === true),
  )
  // A rejected sign-in whose reply does not mention rate, quota or sender concerns the credentials.
  const isSignIn = step === 'sign_in' || reply === 535 || reply === 530
  if (isSignIn && reply >= 500 && (!matchedRule || !signInReasons.has(matchedRule.reason))) return 'sign_in'
  if (matchedRule) return matchedRule.reason
  if (step === 'recipient' && reply === 551) return 'mailbox'
  if (step === 'recipient' && reply === 552) return 'full'
  return step === 'content' && reply >= 500 ? 'content' : null
}
const signInReasons: ReadonlySet<ReplyReason> = new Set(['pace', 'quota', 'blocked'])
