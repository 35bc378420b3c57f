import type {
  BindingEventKind,
  BindingStatus,
  CombineKind,
  CombineReason,
  SyncChangeKind,
} from '../../../server/contract/platform-binding/binding.ts'
import type { ChatProvider } from '../../../server/contract/shared/schemas.ts'
import type { StatusColor } from '../../theme.ts'

export const bindingStatusLabels: Readonly<Record<BindingStatus, { label: string; color: StatusColor }>> = {
  0: { label: '未绑定', color: 'ink3' },
  10: { label: '已绑定', color: 'ok' },
  20: { label: '同步中', color: 'info' },
  30: { label: '同步失败', color: 'danger' },
  40: { label: '等待解绑审批', color: 'warn' },
  50: { label: '应用已停用', color: 'warn' },
}

/** The field names in each platform's console. */
type BindFieldLabels = {
  readonly corp_id: string
  readonly app_id: string | null
  readonly agent_id: string | null
  readonly secret: string
  /** A hint where the console does not show the value. */
  readonly corp_id_hint?: string
}
export const bindFieldLabels: Readonly<Record<ChatProvider, BindFieldLabels>> = {
  lark: {
    corp_id: 'Tenant Key（企业标识）',
    app_id: 'App ID',
    agent_id: null,
    secret: 'App Secret',
    corp_id_hint: '后台没有显示时先填 0：开通了「获取企业信息」权限，检测时会写出正确的',
  },
  wecom: { corp_id: '企业 ID（CorpID）', app_id: null, agent_id: 'AgentId', secret: 'Secret' },
  dingtalk: { corp_id: '企业 CorpId', app_id: 'Client ID（AppKey）', agent_id: 'AgentId', secret: 'Client Secret（AppSecret）' },
}
export const callbackFieldLabels: Readonly<Record<ChatProvider, { token: string; aes_key: string }>> = {
  lark: { token: 'Verification Token', aes_key: 'Encrypt Key' },
  wecom: { token: 'Token', aes_key: 'EncodingAESKey' },
  dingtalk: { token: '签名 Token', aes_key: '加密 aes_key' },
}
/** What is needed before binding, in the order in which the console shows it. */
export const bindPrerequisites: Readonly<Record<ChatProvider, readonly string[]>> = {
  lark: ['开发者后台创建「企业自建应用」', '开通通讯录、获取用户信息和发送消息的权限并发布', '复制 App ID 和 App Secret'],
  wecom: ['管理后台「应用管理」中自建应用', '设置可见范围，并把服务器加入「企业可信 IP」', '复制企业 ID、AgentId 和 Secret'],
  dingtalk: [
    '开发者后台创建「企业内部应用」',
    '申请通讯录只读和工作通知的权限并发布',
    '复制 CorpId、Client ID、Client Secret 和 AgentId',
  ],
}

export const bindingEventLabels: Readonly<Record<BindingEventKind, string>> = {
  bound: '绑定',
  restored: '恢复了以前的对应关系',
  rotated: '更换了应用的密钥或设置',
  unbind_applied: '申请解除绑定',
  unbind_kept: '解除绑定的申请未通过或已撤回',
  unbound: '解除绑定',
  stopped: '应用在平台上被停用',
  resumed: '应用在平台上重新启用',
  synced: '同步完成',
  sync_held: '同步等待确认',
  sync_failed: '同步失败',
  combined: '核对了人员',
  searched: '按姓名查找了人员',
}
export const syncChangeLabels: Readonly<Record<SyncChangeKind, string>> = {
  new: '新增',
  changed: '有变化',
  left: '离开',
  back: '回来',
}
export const syncFieldLabels: Readonly<Record<string, string>> = {
  name: '姓名',
  mobile: '手机号',
  employee_no: '工号',
  email: '邮箱',
  job_title: '职务',
  departments: '部门',
  main_department: '主部门',
  leads: '负责的部门',
  sort: '排序',
  status: '状态',
}
export const combineKindLabels: Readonly<Record<CombineKind, string>> = {
  conflict: '有冲突',
  suggested: '可能是同一人',
  new: '花名册里没有',
  ignored: '已忽略',
  same: '已对应',
  left: '已离开平台',
}
export const combineReasonLabels: Readonly<Record<CombineReason, string>> = {
  number: '工号相同，姓名不同',
  phone: '手机号相同，姓名不同。平台资料里的手机号不能证明是本人',
  two: '手机号和工号指向两个人',
  duplicate: '手机号或工号重复',
  department: '姓名和部门相同',
  name: '只有姓名相同',
  search: '按姓名在企业微信里找到的账号',
}
export const linkReasonLabels = { proved: '本人登录确认', chosen: '管理员选择', matched: '姓名和手机号（或工号）一致' } as const
