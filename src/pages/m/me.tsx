import { useQuery } from '@tanstack/react-query'
import { createFileRoute } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { logout } from '../../../server/contract/auth/sign-in.ts'
import type { CallOutput } from '../../../server/contract/call.ts'
import { getCurrentEmployee, setPayHide } from '../../../server/contract/payslips/employee.ts'
import { ApiError, queryClient, redirectToSignIn, useCallMutation } from '../../api.ts'
import { getLastCharacter } from '../../app/desktop/avatar.tsx'
import { signedOutMessage, signOutNotice } from '../../browser.ts'
import { Icon } from '../../components/icon.tsx'
import { lazyDialog } from '../../components/lazy.tsx'
import { ErrorState } from '../../components/state/error-state.tsx'
import { Skeleton } from '../../components/state/skeleton.tsx'
import { useChatFrame } from '../../features/auth/entry/use-frame.ts'
import { CompanyLogo } from '../../features/company/picture/company-logo.tsx'
import { BottomSheet } from '../../features/payslips/employee/bottom-sheet.tsx'
import styles from '../../features/payslips/employee/m.module.css'
import { MenuItem } from '../../features/payslips/employee/own/menu-item.tsx'
import { PasswordSheet } from '../../features/payslips/employee/own/password.tsx'
import { currentEmployeeQuery, useRefreshOnReturn } from '../../features/payslips/employee/queries.ts'
import { SwitchCompanySheet } from '../../features/payslips/employee/switch-company.tsx'
import { narrowWidth } from '../../theme.ts'

// Rarely used, so they are not part of the page's bundle.
const DevicesSheet = lazyDialog(async () => (await import('../../features/auth/account/mobile/devices-sheet.tsx')).DevicesSheet)
const PlatformAccountsSheet = lazyDialog(
  async () => (await import('../../features/auth/account/mobile/platform-accounts-sheet.tsx')).PlatformAccountsSheet,
)
const ReceivedMessagesSheet = lazyDialog(
  async () => (await import('../../features/payslips/employee/own/received-messages.tsx')).ReceivedMessagesSheet,
)
const AccessLogSheet = lazyDialog(
  async () => (await import('../../features/payslips/employee/own/access-log.tsx')).AccessLogSheet,
)
const ExportOwnDataSheet = lazyDialog(
  async () => (await import('../../features/payslips/employee/own/export-data.tsx')).ExportOwnDataSheet,
)
const PrivacyNoticeSheet = lazyDialog(
  async () => (await import('../../features/payslips/employee/own/privacy-notice.tsx')).PrivacyNoticeSheet,
)
const PhoneChangeSheet = lazyDialog(
  async () => (await import('../../features/auth/account/mobile/phone-change-sheet.tsx')).PhoneChangeSheet,
)

export const Route = createFileRoute('/m/me')({ staticData: { title: '我的' }, component: MePage })

function MePage() {
  useChatFrame()
  const employee = useQuery(currentEmployeeQuery)
  useRefreshOnReturn()
  return (
    <main className={styles.pad}>
      <h1 className="sr-only">我的</h1>
      {employee.data ? (
        <EmployeeProfile me={employee.data} />
      ) : employee.error ? (
        <ErrorState error={employee.error} retry={() => void employee.refetch()} />
      ) : (
        <Skeleton rows={5} />
      )}
    </main>
  )
}

type CurrentEmployee = CallOutput<typeof getCurrentEmployee>
type SheetName = 'corps' | 'password' | 'phone' | 'devices' | 'platforms' | 'told' | 'looks' | 'take' | 'privacy' | 'out'

function EmployeeProfile({ me: employee }: { me: CurrentEmployee }) {
  const [open, setOpen] = useState<SheetName | null>(null)
  const close = () => setOpen(null)
  return (
    <>
      <section className={styles.meHead}>
        <i aria-hidden="true">{getLastCharacter(employee.name)}</i>
        <div>
          <strong>{employee.name}</strong>
          <p className="ui-label">{employee.phone_masked}</p>
          {employee.terminated && (
            <p className="ui-label">
              已于 {employee.terminated.terminated_on} 离职，工资条可以查看到 {employee.terminated.access_until}
            </p>
          )}
        </div>
      </section>
      <ProfileMenu me={employee} onOpen={setOpen} />
      <button type="button" className={`ui-button ${styles.button} ${styles.meOut}`} onClick={() => setOpen('out')}>
        退出登录
      </button>
      {open === 'corps' && <SwitchCompanySheet me={employee} onClose={close} />}
      {open === 'password' && <PasswordSheet first={employee.pass_status === 10} onClose={close} />}
      {open === 'phone' && <PhoneChangeSheet onClose={close} />}
      {open === 'devices' && <DevicesSheet onClose={close} />}
      {open === 'platforms' && <PlatformAccountsSheet onClose={close} />}
      {open === 'told' && <ReceivedMessagesSheet onClose={close} />}
      {open === 'looks' && <AccessLogSheet onClose={close} />}
      {open === 'take' && <ExportOwnDataSheet onClose={close} />}
      {open === 'privacy' && <PrivacyNoticeSheet onClose={close} />}
      {open === 'out' && <SignOutSheet onClose={close} />}
    </>
  )
}

function ProfileMenu({ me: employee, onOpen: setOpen }: { me: CurrentEmployee; onOpen: (name: SheetName) => void }) {
  const setAmountsHidden = useCallMutation(setPayHide, { affects: [getCurrentEmployee] })
  return (
    <>
      {employee.is_admin && (
        <ul className={styles.meList}>
          <li>
            <a className={styles.meEntry} href={innerWidth < narrowWidth ? '/m/admin' : '/landing'}>
              <Icon name="sheet" />
              <span>进入管理后台</span>
              <Icon name="arrow" size={16} />
            </a>
          </li>
        </ul>
      )}
      <MenuGroup title="显示">
        <li>
          {employee.corps.length > 1 ? (
            <MenuItem icon="company" text={employee.corp_name} note="切换公司" onClick={() => setOpen('corps')} />
          ) : (
            <div className={styles.meEntry}>
              {employee.corp_logo ? <CompanyLogo logo={employee.corp_logo} size={20} /> : <Icon name="company" />}
              <span>{employee.corp_name}</span>
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
              checked={setAmountsHidden.isPending ? setAmountsHidden.variables.hide : employee.pay_hide}
              disabled={setAmountsHidden.isPending}
              onChange={(event) => setAmountsHidden.mutate({ hide: event.target.checked })}
            />
          </label>
        </li>
      </MenuGroup>
      <MenuGroup title="账号与安全">
        <li>
          <MenuItem
            icon="lock"
            text={employee.pass_status === 10 ? '设置登录密码' : '修改密码'}
            onClick={() => setOpen('password')}
          />
        </li>
        <li>
          <MenuItem icon="phone" text="更换手机号" note={employee.phone_masked} onClick={() => setOpen('phone')} />
        </li>
        <li>
          <MenuItem icon="shield" text="登录的设备" onClick={() => setOpen('devices')} />
        </li>
        <li>
          <MenuItem icon="user" text="关联的办公平台账号" onClick={() => setOpen('platforms')} />
        </li>
      </MenuGroup>
      <MenuGroup title="我的资料">
        <li>
          <MenuItem icon="bell" text="收到的通知" onClick={() => setOpen('told')} />
        </li>
        <li>
          <MenuItem icon="eye" text="谁看过我的工资条" onClick={() => setOpen('looks')} />
        </li>
        <li>
          <MenuItem icon="download" text="下载我的全部资料" onClick={() => setOpen('take')} />
        </li>
        <li>
          <MenuItem icon="help" text="个人信息处理说明" onClick={() => setOpen('privacy')} />
        </li>
      </MenuGroup>
    </>
  )
}

const MenuGroup = ({ title, children }: { title: string; children: ReactNode }) => (
  <section className={styles.meGroup} aria-label={title}>
    <h2>{title}</h2>
    <ul className={styles.meList}>{children}</ul>
  </section>
)

function SignOutSheet({ onClose }: { onClose: () => void }) {
  const signOut = useCallMutation(logout, {
    handles: () => true,
    // Any server response ends the session; cached data is discarded with it.
    onSettled: (_, error) => {
      if (error && !(error instanceof ApiError)) return
      queryClient.clear()
      signOutNotice.save(signedOutMessage)
      redirectToSignIn({ back: false })
    },
  })
  return (
    <BottomSheet open title="退出登录？" onClose={onClose}>
      <p className="ui-label">退出后需要重新登录才能看工资条，这台设备上不会留下工资信息。</p>
      <div className={styles.sheetActions}>
        <button type="button" className={`ui-button ${styles.button}`} onClick={onClose}>
          取消
        </button>
        <button
          type="button"
          className={`ui-button ${styles.button} ${styles.primary}`}
          disabled={signOut.isPending}
          onClick={() => signOut.mutate({})}
        >
          退出登录
        </button>
      </div>
    </BottomSheet>
  )
}
