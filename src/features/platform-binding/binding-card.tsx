import { Link } from '@tanstack/react-router'
import { Button } from 'antd'
import { useState } from 'react'
import type { CallOutput } from '../../../server/contract/call.ts'
import { checkPlatform, type getPlatformInfo } from '../../../server/contract/platform-binding/binding.ts'
import { providerLabels } from '../../../server/contract/shared/providers.ts'
import { useCallMutation } from '../../api.ts'
import { CopyableDetail } from '../../components/details/copyable-detail.tsx'
import { DetailItem, DetailList } from '../../components/details/detail-list.tsx'
import { toast } from '../../components/overlay/toast.ts'
import { formatDateTime } from '../../components/value/dates.ts'
import { StatusDot } from '../../components/value/status-dot.tsx'
import { BindDialog } from './bind-dialog.tsx'
import { bindingStatusLabels } from './labels.ts'
import styles from './platform.module.css'
import { UnbindDialog } from './unbind-dialog.tsx'
import { useChatConsole } from './use-chat-console.ts'

type PlatformInfo = CallOutput<typeof getPlatformInfo>
export type PlatformBinding = NonNullable<PlatformInfo['bound']>

const formatVisibleRange = ({ visible_range: range }: PlatformBinding): string => {
  if (!range) return ''
  if (range.whole) return '全公司'
  return [range.departments > 0 && `${range.departments} 个部门`, range.people > 0 && `${range.people} 人`]
    .filter(Boolean)
    .join('、')
}
/** Lists the fields that the platform does not disclose to such an application; this is not a configuration mistake. */
const formatHiddenFields = ({ capabilities }: PlatformBinding): string =>
  [!capabilities.names && '姓名', !capabilities.phones && '手机号', !capabilities.employee_nos && '工号']
    .filter(Boolean)
    .join('、')

const formatLinkedCount = ({ users: { total, linked } }: PlatformBinding): string =>
  total === 0 ? '还没有同步' : `${total.toLocaleString('zh-CN')} 人，已对应 ${linked.toLocaleString('zh-CN')} 人`

function formatLastCallback({ callback, mode }: PlatformBinding): string {
  if (callback.last_received_at) return `${formatDateTime(callback.last_received_at)} 收到过`
  if (callback.is_configured || mode === 'store') return mode === 'store' ? '已接入，还没有收到' : '密钥已设置，还没有收到'
  return '未设置，人员变动要等每天的同步'
}

/** Texts for waiting states: what is pending, and who can end it. */
const waitingTexts: Partial<Record<PlatformInfo['status'], string>> = {
  40: '已申请解除绑定，等另一位企业管理员或系统管理员审批。审批前照常登录和收消息，通讯录暂不同步；申请人可以在审批里撤回。',
  50: '应用在办公平台上被停用，登录和消息都不可用。请在平台的管理后台启用，然后点「重新检测」。',
}

/** The bound company and application, and the visible fields. */
const BindingDetails = ({ bound: binding, isInstalled }: { bound: PlatformBinding; isInstalled: boolean }) => (
  <DetailList>
    <DetailItem name="企业标识" long>
      {binding.is_verified ? binding.corp_id : `${binding.corp_id}（尚未证实）`}
    </DetailItem>
    <DetailItem name="应用" long>
      {isInstalled ? '应用市场安装' : binding.app_id}
    </DetailItem>
    <DetailItem name="绑定" long>
      {[binding.by, formatDateTime(binding.bound_at)].filter(Boolean).join(' · ')}
    </DetailItem>
    <DetailItem name="可见范围">{formatVisibleRange(binding)}</DetailItem>
    <DetailItem name="人员">{formatLinkedCount(binding)}</DetailItem>
    <DetailItem name="上次检测">{formatDateTime(binding.health.checked_at)}</DetailItem>
    <DetailItem name="事件回调" long>
      {formatLastCallback(binding)}
    </DetailItem>
    {!isInstalled && (
      <>
        <CopyableDetail name="应用主页" value={`${new URL(binding.callback_url).origin}/entry?corp=${binding.corp_id}`} />
        <CopyableDetail name="回调地址" value={binding.callback_url} />
      </>
    )}
  </DetailList>
)

/** The current binding, its status, and its actions. */
export function BindingCard({
  status,
  bound: binding,
  endsAtOnce,
  onDone,
}: {
  status: PlatformInfo['status']
  bound: PlatformBinding
  endsAtOnce: boolean
  onDone: () => void
}) {
  const [open, setOpen] = useState<'edit' | 'unbind'>()
  const check = useCallMutation(checkPlatform, {
    onSuccess: ({ ok, issues }) => {
      toast.success(ok && issues.length === 0 ? '检测通过，一切正常' : `检测完成，有 ${issues.length} 项需要处理`)
      onDone()
    },
  })
  const close = () => setOpen(undefined)
  const chatConsole = useChatConsole(binding.provider)
  const hiddenFields = formatHiddenFields(binding)
  // A store application has no settings of the company's own.
  const isInstalled = binding.mode === 'store'
  return (
    <section className="ui-card ui-stack" aria-labelledby="platform-bound">
      <div className={styles.head}>
        <h2 id="platform-bound">
          {providerLabels[binding.provider]}
          {binding.corp_name && <small>{binding.corp_name}</small>}
        </h2>
        <StatusDot {...bindingStatusLabels[status]} />
      </div>
      {waitingTexts[status] && (
        <p className={styles.waits}>
          {waitingTexts[status]} {status === 40 && <Link to="/agency">查看审批</Link>}
        </p>
      )}
      {binding.health.issues.length > 0 && (
        <ul className={styles.issues}>
          {binding.health.issues.map(({ area, message, permission }) => (
            <li key={`${area}${message}`}>
              {message}
              {permission && <code>{permission}</code>}
            </li>
          ))}
        </ul>
      )}
      <BindingDetails bound={binding} isInstalled={isInstalled} />
      {hiddenFields && (
        <p className="ui-hint">{`${providerLabels[binding.provider]}不向应用提供${hiddenFields}，需要在下面由人来核对；员工首次登录时用手机号验证一次即可。`}</p>
      )}
      {!binding.is_verified && (
        <p className="ui-hint">{`${providerLabels[binding.provider]}没有说明这个应用属于哪家企业。${chatConsole?.verification ?? ''}。在此之前，如果另一家公司能证明这个应用属于它，会替换这个绑定。`}</p>
      )}
      <div className="ui-row">
        <Button loading={check.isPending} onClick={() => check.mutate({})}>
          重新检测
        </Button>
        {!isInstalled && <Button onClick={() => setOpen('edit')}>修改应用设置</Button>}
        {status !== 40 && (
          <Button type="text" danger onClick={() => setOpen('unbind')}>
            解除绑定
          </Button>
        )}
      </div>
      {open === 'edit' && <BindDialog provider={binding.provider} stored={binding} onDone={onDone} onClose={close} />}
      {open === 'unbind' && <UnbindDialog provider={binding.provider} endsAtOnce={endsAtOnce} onDone={onDone} onClose={close} />}
    </section>
  )
}
