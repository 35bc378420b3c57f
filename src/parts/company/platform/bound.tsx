import { Button } from 'antd'
import { useState } from 'react'
import type { OutputOf } from '../../../../server/contract/call.ts'
import { checkPlatform, type getPlatformInfo } from '../../../../server/contract/people/binding.ts'
import { providerNames } from '../../../../server/contract/people/providers.ts'
import { useCall } from '../../../api.ts'
import { Fact, Facts } from '../../../ui/facts/facts.tsx'
import { toast } from '../../../ui/over/toast.ts'
import { dayAndTime } from '../../../ui/value/dates.ts'
import { StatusDot } from '../../../ui/value/status-dot.tsx'
import { BindDialog } from './bind-dialog.tsx'
import styles from './platform.module.css'
import { UnbindDialog } from './unbind-dialog.tsx'
import { bindingWords } from './words.ts'

type Info = OutputOf<typeof getPlatformInfo>
export type BoundInfo = NonNullable<Info['bound']>

const rangeOf = ({ visible_range: range }: BoundInfo): string => {
  if (!range) return ''
  if (range.whole) return '全公司'
  return [range.departments > 0 && `${range.departments} 个部门`, range.people > 0 && `${range.people} 人`]
    .filter(Boolean)
    .join('、')
}
/** What such an application is never told by its platform: not a mistake of anybody here. */
const hiddenOf = ({ abilities }: BoundInfo): string =>
  [!abilities.names && '姓名', !abilities.phones && '手机号', !abilities.employee_nos && '工号'].filter(Boolean).join('、')

const peopleOf = ({ people: { total, linked } }: BoundInfo): string =>
  total === 0 ? '还没有同步' : `${total.toLocaleString('zh-CN')} 人，已对应 ${linked.toLocaleString('zh-CN')} 人`

function heardWords({ callback, mode }: BoundInfo): string {
  if (callback.heard_at) return `${dayAndTime(callback.heard_at)} 收到过`
  if (callback.ready || mode === 'store') return mode === 'store' ? '已接入，还没有收到' : '密钥已设置，还没有收到'
  return '未设置，人员变动要等每天的同步'
}

/** Where somebody waits: for what, and who can end it. */
const waitWords: Partial<Record<Info['status'], string>> = {
  40: '已申请解除绑定，等另一位企业管理员或系统管理员审批。审批前照常登录和收消息，通讯录暂不同步；申请人可以在审批里撤回。',
  50: '应用在办公平台上被停用，登录和消息都不可用。请在平台的管理后台启用，然后点「重新检测」。',
}

/** Which company and application, and what of it is seen. */
const BoundFacts = ({ bound, isInstalled }: { bound: BoundInfo; isInstalled: boolean }) => (
  <Facts>
    <Fact name="企业标识" long>
      {bound.proved ? bound.corp_id : `${bound.corp_id}（尚未证实）`}
    </Fact>
    <Fact name="应用" long>
      {isInstalled ? '应用市场安装' : bound.app_id}
    </Fact>
    <Fact name="绑定" long>
      {[bound.by, dayAndTime(bound.bound_at)].filter(Boolean).join(' · ')}
    </Fact>
    <Fact name="可见范围">{rangeOf(bound)}</Fact>
    <Fact name="人员">{peopleOf(bound)}</Fact>
    <Fact name="上次检测">{dayAndTime(bound.health.checked_at)}</Fact>
    <Fact name="事件回调" long>
      {heardWords(bound)}
    </Fact>
    {!isInstalled && (
      <>
        <Fact name="应用主页" wide>
          {`${new URL(bound.callback_url).origin}/entry?corp=${bound.corp_id}`}
        </Fact>
        <Fact name="回调地址" wide>
          {bound.callback_url}
        </Fact>
      </>
    )}
  </Facts>
)

/** Who we are bound to, whether it works, and what can be done about it. */
export function Bound({ status, bound, onDone }: { status: Info['status']; bound: BoundInfo; onDone: () => void }) {
  const [open, setOpen] = useState<'edit' | 'unbind'>()
  const check = useCall(checkPlatform, {
    onSuccess: ({ ok, problems }) => {
      toast.done(ok && problems.length === 0 ? '检测通过，一切正常' : `检测完成，有 ${problems.length} 项需要处理`)
      onDone()
    },
  })
  const close = () => setOpen(undefined)
  const hidden = hiddenOf(bound)
  // What came from the store has no settings of the company's own.
  const isInstalled = bound.mode === 'store'
  return (
    <section className="ui-card ui-stack" aria-labelledby="platform-bound">
      <div className={styles.head}>
        <h2 id="platform-bound">
          {providerNames[bound.provider]}
          {bound.corp_name && <small>{bound.corp_name}</small>}
        </h2>
        <StatusDot {...bindingWords[status]} />
      </div>
      {waitWords[status] && <p className={styles.waits}>{waitWords[status]}</p>}
      {bound.health.problems.length > 0 && (
        <ul className={styles.problems}>
          {bound.health.problems.map(({ about, words, permission }) => (
            <li key={`${about}${words}`}>
              {words}
              {permission && <code>{permission}</code>}
            </li>
          ))}
        </ul>
      )}
      <BoundFacts bound={bound} isInstalled={isInstalled} />
      {hidden && (
        <p className="ui-hint">{`${providerNames[bound.provider]}不向应用提供${hidden}，需要在下面由人来核对；员工首次登录时用手机号验证一次即可。`}</p>
      )}
      {!bound.proved && (
        <p className="ui-hint">{`${providerNames[bound.provider]}没有说明这个应用属于哪家企业。任何一位员工在网页上用${providerNames[bound.provider]}登录一次即可证实；在此之前，能够证实的公司可以取代这个绑定。`}</p>
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
      {open === 'edit' && <BindDialog provider={bound.provider} kept={bound} onDone={onDone} onClose={close} />}
      {open === 'unbind' && <UnbindDialog provider={bound.provider} onDone={onDone} onClose={close} />}
    </section>
  )
}
