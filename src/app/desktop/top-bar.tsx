import { Link, useNavigate } from '@tanstack/react-router'
import { useEffect, useEffectEvent, useState } from 'react'
import { getImportSampleFile } from '../../../server/contract/files/files.ts'
import { downloadFile, queryClient } from '../../api.ts'
import { Icon } from '../../components/icon.tsx'
import { lazyDialog } from '../../components/lazy.tsx'
import { type CurrentUser, currentUserQuery } from '../../session.ts'
import styles from './shell.module.css'
import { UserMenu } from './user-menu.tsx'

const SearchDialog = lazyDialog(async () => (await import('../dialogs/search.tsx')).SearchDialog)

type TopBarProps = { me: CurrentUser | undefined; onMenu?: (() => void) | undefined }

/** Company, help, to-dos with their red dot, and the user menu. Agencies have neither help nor to-dos (spec §2). */
export function TopBar({ me, onMenu }: TopBarProps) {
  return (
    <header className={`${styles.bar} no-print`}>
      {onMenu && (
        <button type="button" className={styles.barItem} aria-label="打开菜单" disabled={!me} onClick={onMenu}>
          <Icon name="menu" size={22} />
        </button>
      )}
      <Link to="/landing" className={styles.barCompany} title={me?.corp.name} aria-label={`${me?.corp.name ?? '薪函'}，回到首页`}>
        <img src={me?.corp.logo ?? '/favicon.svg'} alt="" width={32} height={32} />
        <strong>{me?.corp.name ?? '薪函'}</strong>
      </Link>
      {me && me.corp.corp_role !== 20 && (
        <>
          <button
            type="button"
            className={styles.barItem}
            aria-label="帮助，下载使用说明"
            onClick={() => downloadFile(getImportSampleFile, { type: 'help', page: 'guide' })}
          >
            <Icon name="help" />
            <span>帮助</span>
          </button>
          <SearchButton />
          <TodoButton me={me} />
        </>
      )}
      {me && <UserMenu me={me} />}
    </header>
  )
}

/** Opens the search over every page, also with Ctrl K or ⌘K. */
function SearchButton() {
  const [isOpen, setOpen] = useState(false)
  // It loads on first use and stays mounted so that its closing animation runs.
  const [isLoaded, setLoaded] = useState(false)
  const open = () => {
    setLoaded(true)
    setOpen(true)
  }
  const openByKey = useEffectEvent(open)
  // Keyboard shortcuts are window events.
  useEffect(() => {
    const handleShortcut = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.metaKey || event.ctrlKey) || event.altKey || event.shiftKey) return
      event.preventDefault()
      openByKey()
    }
    addEventListener('keydown', handleShortcut)
    return () => removeEventListener('keydown', handleShortcut)
  }, [])
  return (
    <>
      <button
        type="button"
        className={styles.barItem}
        aria-label="搜索，Ctrl K"
        aria-keyshortcuts="Control+K Meta+K"
        aria-haspopup="dialog"
        onClick={open}
      >
        <Icon name="search" />
        <span>搜索</span>
      </button>
      {isLoaded && <SearchDialog open={isOpen} onClose={() => setOpen(false)} />}
    </>
  )
}

function TodoButton({ me }: { me: CurrentUser }) {
  const navigate = useNavigate()
  const unread = me.user.notice_number > 0
  const openTodos = () => {
    queryClient.setQueryData(
      currentUserQuery.queryKey,
      (old: CurrentUser | undefined) => old && { ...old, user: { ...old.user, notice_number: 0 } },
    )
    void navigate({ to: '/agency' })
  }
  return (
    <button type="button" className={styles.barItem} onClick={openTodos} aria-label={unread ? '待办，有未读通知' : '待办'}>
      <span className={styles.barBell} data-unread={unread || undefined}>
        <Icon name="bell" />
      </span>
      <span>待办</span>
    </button>
  )
}
