import { Button } from 'antd'
import { useState } from 'react'
import { resolvePlatformUser, searchPlatformUsers } from '../../../../server/contract/platform-binding/platform-users.ts'
import { useCallMutation } from '../../../api.ts'
import { ActionButton } from '../../../components/action-button.tsx'
import { Icon } from '../../../components/icon.tsx'
import { toast } from '../../../components/overlay/toast.ts'
import type { PlatformBinding } from '../binding-card.tsx'
import styles from './combine.module.css'
import type { ResolvedPlatformUser } from './platform-user-dialog.tsx'
import type { PlatformUserView } from './use-platform-users.ts'

const pickerErrorLabels: Readonly<Record<Extract<PlatformUserView, { state: 'failed' }>['reason'], string>> = {
  lost: '网络不通，没有加载出来',
  unsigned: '企业微信暂时没有给出签名',
  refused: '企业微信没有认出这个应用：请用本企业的账号打开，并请运营方核对应用的可信域名',
  old: '这个版本的企业微信不能显示姓名，请升级后再试',
}
const outOfScopeText = '所选的人不在应用的可见范围内：请在企业微信的管理后台把他加进可见范围，同步以后再选'
const formatSearchResult = ({
  searched: searchedCount,
  matched: matchCount,
  remaining: remainingCount,
}: {
  searched: number
  matched: number
  remaining: number
}): string =>
  [
    `请企业微信查了 ${searchedCount.toLocaleString('zh-CN')} 个姓名，`,
    matchCount > 0
      ? `找到 ${matchCount.toLocaleString('zh-CN')} 个账号，请在「可能是同一人」里逐个确认。`
      : '没有找到还没对应的同名账号。可能不在应用的可见范围内，或两边的姓名写法不同。',
    remainingCount > 0 && `还有 ${remainingCount.toLocaleString('zh-CN')} 个姓名没有查，请再查一次。`,
  ]
    .filter(Boolean)
    .join('')

type HiddenNamesProps = {
  binding: PlatformBinding
  view: PlatformUserView
  /** Called after a match by name. */
  onMatch: () => void
  onSelected: (colleague: ResolvedPlatformUser) => void
}

/** Tools for platform users with undisclosed names: the platform shows, searches, selects; an administrator decides. */
export function HiddenNameTools({ binding, view, onMatch, onSelected }: HiddenNamesProps) {
  const search = useCallMutation(searchPlatformUsers, {
    handles: () => true,
    handlesNetworkError: true,
    onSuccess: ({ matched }) => matched > 0 && onMatch(),
  })
  return (
    <div className={styles.hidden}>
      <HiddenNameStatus binding={binding} view={view} />
      <div className="ui-row">
        {view.state === 'shown' && <SelectUserButton visible={view} onSelected={onSelected} />}
        <ActionButton
          icon={<Icon name="search" />}
          loading={search.isPending}
          allowed={binding.capabilities.search || '运营方还没有设置服务商的 CorpID 与 ProviderSecret，暂时不能按姓名查找'}
          onClick={() => search.mutate({})}
        >
          按姓名查找
        </ActionButton>
        {view.state === 'outside' && <CopyLink binding={binding} />}
      </div>
      {search.isPending && <p role="status">正在用花名册里的姓名请企业微信查找，人多时需要一两分钟…</p>}
      {search.data && !search.isPending && <p role="status">{formatSearchResult(search.data)}</p>}
      {search.error && (
        <p className={styles.failed} role="alert">
          没有查到：{search.error.message}
        </p>
      )}
    </div>
  )
}

/** Explains why names are visible or not. */
function HiddenNameStatus({ binding, view }: Pick<HiddenNamesProps, 'binding' | 'view'>) {
  switch (view.state) {
    case 'shown':
      return <p className="ui-hint">姓名和部门由企业微信直接画在页面上，只在企业微信里看得到，薪函读不到也不保存。</p>
    case 'waiting':
      return (
        <p className="ui-hint" role="status">
          正在请企业微信显示姓名…
        </p>
      )
    case 'failed':
      return (
        <p className={styles.failed} role="alert">
          {pickerErrorLabels[view.reason]}。{' '}
          <button type="button" className="ui-link" onClick={view.retry}>
            重试
          </button>
        </p>
      )
    default:
      return (
        <p className="ui-hint">
          {`企业微信不把姓名交给应用，所以这里只有账号。在企业微信里打开本页，就能看到姓名、直接选人；在浏览器里可以${binding.capabilities.search ? '按姓名查找，或导出由企业微信写上姓名的核对表' : '导出核对表'}。`}
        </p>
      )
  }
}

/** Selects one platform user in the platform's own picker. */
function SelectUserButton({
  visible: view,
  onSelected,
}: {
  visible: Extract<PlatformUserView, { state: 'shown' }>
  onSelected: HiddenNamesProps['onSelected']
}) {
  const [isSelecting, setSelecting] = useState(false)
  const resolve = useCallMutation(resolvePlatformUser, { onSuccess: onSelected })
  const selectUser = async () => {
    setSelecting(true)
    try {
      const selected = await view.userPicker.selectUser()
      if (selected?.user_id) resolve.mutate({ ticket: selected.ticket, user_id: selected.user_id })
      else if (selected) toast.info(outOfScopeText)
    } catch {
      toast.error('企业微信没有打开选人，请升级企业微信后再试')
    } finally {
      setSelecting(false)
    }
  }
  return (
    <Button
      type="primary"
      icon={<Icon name="people" />}
      loading={isSelecting || resolve.isPending}
      onClick={() => void selectUser()}
    >
      在企业微信里选人
    </Button>
  )
}

/** Copies a link to this page that opens in the platform's client, signs the user in and leads here. */
function CopyLink({ binding: { corp_id } }: Pick<HiddenNamesProps, 'binding'>) {
  const copy = async () => {
    const page = new URLSearchParams({ corp: corp_id, page: '/companyThird' })
    try {
      await navigator.clipboard.writeText(`${location.origin}/entry?${page}`)
      toast.brief('链接已复制，发到企业微信里打开')
    } catch {
      toast.info('浏览器不允许复制：请在企业微信的工作台打开薪函，再进入「办公平台」')
    }
  }
  return (
    <Button icon={<Icon name="copy" />} onClick={() => void copy()}>
      复制链接，到企业微信里打开
    </Button>
  )
}
