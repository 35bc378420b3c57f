import { useQuery } from '@tanstack/react-query'
import { createFileRoute } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import { logout } from '../../../server/contract/account/account.ts'
import type { OutputOf } from '../../../server/contract/call.ts'
import { type getMe, setPayHide } from '../../../server/contract/own/employee.ts'
import { ApiError, cache, toSignIn, useCall } from '../../api.ts'
import { farewell, signedOut } from '../../browser.ts'
import { CorpMark } from '../../parts/company/picture/corp-mark.tsx'
import { CorpSheet } from '../../parts/employee/corps.tsx'
import styles from '../../parts/employee/m.module.css'
import { Entry } from '../../parts/employee/own/entry.tsx'
import { PasswordSheet } from '../../parts/employee/own/password.tsx'
import { meQuery, useRecheck } from '../../parts/employee/queries.ts'
import { Sheet } from '../../parts/employee/sheet.tsx'
import { useFrame } from '../../parts/entry/use-frame.ts'
import { lastOf } from '../../shell/desk/face.tsx'
import { narrow } from '../../theme.ts'
import { Icon } from '../../ui/icon.tsx'
import { ErrorState } from '../../ui/state/error-state.tsx'
import { Skeleton } from '../../ui/state/skeleton.tsx'

// Asked for once in a while: they do not come with the page.
const DevicesSheet = lazy(async () => ({ default: (await import('../../parts/account/pocket/pocket-devices.tsx')).DevicesSheet }))
const ToldSheet = lazy(async () => ({ default: (await import('../../parts/employee/own/told.tsx')).ToldSheet }))
const LooksSheet = lazy(async () => ({ default: (await import('../../parts/employee/own/looks.tsx')).LooksSheet }))
const TakeSheet = lazy(async () => ({ default: (await import('../../parts/employee/own/take.tsx')).TakeSheet }))
const PhoneSheet = lazy(async () => ({ default: (await import('../../parts/account/pocket/pocket-phone.tsx')).PhoneSheet }))

export const Route = createFileRoute('/m/me')({ staticData: { title: '我的' }, component: MePage })

function MePage() {
  useFrame()
  const asked = useQuery(meQuery)
  useRecheck()
  return (
    <main className={styles.pad}>
      <h1 className="sr-only">我的</h1>
      {asked.data ? (
        <Me me={asked.data} />
      ) : asked.error ? (
        <ErrorState error={asked.error} retry={() => void asked.refetch()} />
      ) : (
        <Skeleton rows={5} />
      )}
    </main>
  )
}

type Shown = OutputOf<typeof getMe>
type Name = 'corps' | 'password' | 'phone' | 'devices' | 'told' | 'looks' | 'take' | 'out'

function Me({ me }: { me: Shown }) {
  const [open, setOpen] = useState<Name | null>(null)
  const close = () => setOpen(null)
  return (
    <>
      <section className={styles.meHead}>
        <i aria-hidden="true">{lastOf(me.name)}</i>
        <div>
          <strong>{me.name}</strong>
          <p className="ui-label">{me.phone_masked}</p>
          {me.left && (
            <p className="ui-label">
              已于 {me.left.on} 离职，工资条可以查看到 {me.left.until}
            </p>
          )}
        </div>
      </section>
      <Entries me={me} onOpen={setOpen} />
      <button type="button" className={`ui-button ${styles.button} ${styles.meOut}`} onClick={() => setOpen('out')}>
        退出登录
      </button>
      {open === 'corps' && <CorpSheet me={me} onClose={close} />}
      {open === 'password' && <PasswordSheet first={me.pass_status === 10} onClose={close} />}
      <Suspense fallback={null}>
        {open === 'phone' && <PhoneSheet onClose={close} />}
        {open === 'devices' && <DevicesSheet onClose={close} />}
        {open === 'told' && <ToldSheet onClose={close} />}
        {open === 'looks' && <LooksSheet onClose={close} />}
        {open === 'take' && <TakeSheet onClose={close} />}
      </Suspense>
      {open === 'out' && <SignOutSheet onClose={close} />}
    </>
  )
}

function Entries({ me, onOpen: setOpen }: { me: Shown; onOpen: (name: Name) => void }) {
  const hide = useCall(setPayHide)
  return (
    <ul className={styles.meList}>
      <li>
        {me.corps.length > 1 ? (
          <Entry icon="company" text={me.corp_name} note="切换公司" onClick={() => setOpen('corps')} />
        ) : (
          <div className={styles.meEntry}>
            {me.corp_logo ? <CorpMark logo={me.corp_logo} size={20} /> : <Icon name="company" />}
            <span>{me.corp_name}</span>
          </div>
        )}
      </li>
      <li>
        <label className={styles.meEntry}>
          <Icon name="eyeoff" />
          <span>
            隐藏金额
            <small>金额显示为 ****，点眼睛才显示</small>
          </span>
          <input
            type="checkbox"
            role="switch"
            className={styles.switchIt}
            checked={hide.isPending ? hide.variables.hide : me.pay_hide}
            disabled={hide.isPending}
            onChange={(event) => hide.mutate({ hide: event.target.checked })}
          />
        </label>
      </li>
      <li>
        <Entry icon="lock" text={me.pass_status === 10 ? '设置登录密码' : '修改密码'} onClick={() => setOpen('password')} />
      </li>
      <li>
        <Entry icon="phone" text="更换手机号" note={me.phone_masked} onClick={() => setOpen('phone')} />
      </li>
      <li>
        <Entry icon="shield" text="登录的设备" onClick={() => setOpen('devices')} />
      </li>
      <li>
        <Entry icon="bell" text="收到的通知" onClick={() => setOpen('told')} />
      </li>
      <li>
        <Entry icon="eye" text="谁看过我的工资条" onClick={() => setOpen('looks')} />
      </li>
      <li>
        <Entry icon="download" text="下载我的全部资料" onClick={() => setOpen('take')} />
      </li>
      {me.is_admin && (
        <li>
          <a className={styles.meEntry} href={innerWidth < narrow ? '/m/admin' : '/landing'}>
            <Icon name="sheet" />
            <span>进入管理后台</span>
            <Icon name="arrow" size={16} />
          </a>
        </li>
      )}
    </ul>
  )
}

function SignOutSheet({ onClose }: { onClose: () => void }) {
  const out = useCall(logout, {
    handles: () => true,
    // Whatever the server answers, an answer ends it; what was read goes with the session.
    onSettled: (_, error) => {
      if (error && !(error instanceof ApiError)) return
      cache.clear()
      farewell.keep(signedOut)
      toSignIn({ back: false })
    },
  })
  return (
    <Sheet open title="退出登录？" onClose={onClose}>
      <p className="ui-label">退出后需要重新登录才能看工资条，这台设备上不会留下工资信息。</p>
      <div className={styles.sheetActions}>
        <button type="button" className={`ui-button ${styles.button}`} onClick={onClose}>
          取消
        </button>
        <button
          type="button"
          className={`ui-button ${styles.button} ${styles.primary}`}
          disabled={out.isPending}
          onClick={() => out.mutate({})}
        >
          退出登录
        </button>
      </div>
    </Sheet>
  )
}
