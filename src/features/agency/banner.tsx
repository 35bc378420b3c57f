import { Button } from 'antd'
import { leaveCorp } from '../../../server/contract/agency/agency.ts'
import { useCallMutation } from '../../api.ts'
import { Icon } from '../../components/icon.tsx'
import styles from './agency.module.css'
import { switchSession } from './switch-session.ts'

/** A banner on every page while an agency user works in a served company, with a button to leave it. */
export function AgencyBanner({ name, until }: { name: string; until: string }) {
  const leave = useCallMutation(leaveCorp, { onSuccess: ({ token }) => switchSession(token, '/CompanyList') })
  return (
    <div className={`${styles.serving} no-print`} role="status">
      <Icon name="company" />
      <span>
        代理中：<strong>{name}</strong>
        <small>操作将以代理企业名义记录，授权至 {until}</small>
      </span>
      <Button loading={leave.isPending} onClick={() => leave.mutate({})}>
        退出代理
      </Button>
    </div>
  )
}
