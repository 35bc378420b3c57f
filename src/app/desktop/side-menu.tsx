import { Link, useLocation } from '@tanstack/react-router'
import { useState } from 'react'
import { Icon } from '../../components/icon.tsx'
import { lazyDialog } from '../../components/lazy.tsx'
import type { CurrentUser } from '../../session.ts'
import { useFindRoute } from '../find-route.ts'
import { buildMenu, findHighlightedPath, type VisibleMenuGroup } from './menu.ts'
import styles from './shell.module.css'

const SuggestionDialog = lazyDialog(async () => (await import('../dialogs/suggestion.tsx')).SuggestionDialog)

/**
 * The side menu: groups expand and collapse, the entry of the current page is highlighted and its group expanded; below
 * it 建议反馈. Users with power 3 alone have no entries (spec §2): the menu says so and links to their page.
 */
export function SideMenu({ me: currentUser, onGo }: { me: CurrentUser; onGo?: () => void }) {
  const { pathname } = useLocation()
  const findRoute = useFindRoute()
  const groups = buildMenu(currentUser, (path) => {
    const route = findRoute(path)
    return route && (route.options?.staticData ?? {})
  })
  const highlighted = findHighlightedPath(
    groups.flatMap(({ entries }) => entries),
    pathname,
  )
  const [open, setOpen] = useState<readonly string[]>([])
  const [lastPathname, setLastPathname] = useState<string | null>(null)
  // Navigation expands the group of the new page and leaves the others as the user left them.
  if (lastPathname !== pathname) {
    setLastPathname(pathname)
    const currentGroup = groups.find((group) => group.entries.some(({ path }) => path === highlighted))
    if (currentGroup && !open.includes(currentGroup.section)) setOpen([...open, currentGroup.section])
  }
  const toggle = (section: string) =>
    setOpen(open.includes(section) ? open.filter((other) => other !== section) : [...open, section])
  return (
    <div className={styles.menu}>
      <nav aria-label="主菜单">
        <ul>
          {groups.map((group) => (
            <li key={group.section}>
              {group.single ? (
                <SinglePageLink group={group} highlighted={highlighted} onGo={onGo} />
              ) : (
                <>
                  <button
                    type="button"
                    className={styles.menuGroup}
                    aria-expanded={open.includes(group.section)}
                    onClick={() => toggle(group.section)}
                  >
                    <Icon name={group.icon} />
                    {group.title}
                    <Icon name="down" size={14} />
                  </button>
                  {open.includes(group.section) && (
                    <ul>
                      {group.entries.map((entry) => (
                        <li key={entry.path}>
                          <Link
                            to={entry.path}
                            className={styles.menuEntry}
                            aria-current={entry.path === highlighted ? 'page' : undefined}
                            {...(onGo ? { onClick: onGo } : {})}
                          >
                            {entry.title}
                          </Link>
                        </li>
                      ))}
                    </ul>
                  )}
                </>
              )}
            </li>
          ))}
        </ul>
      </nav>
      {groups.length === 0 && (
        <p className={styles.menuNone}>
          您的权限只有一个页面，没有其他菜单。
          <Link to="/landing" {...(onGo ? { onClick: onGo } : {})}>
            回到首页
          </Link>
        </p>
      )}
      <SuggestionButton />
    </div>
  )
}

function SinglePageLink({
  group,
  highlighted,
  onGo,
}: {
  group: VisibleMenuGroup
  highlighted: string | undefined
  onGo?: (() => void) | undefined
}) {
  const entry = group.entries[0]
  if (!entry) return null
  return (
    <Link
      to={entry.path}
      className={styles.menuGroup}
      aria-current={entry.path === highlighted ? 'page' : undefined}
      {...(onGo ? { onClick: onGo } : {})}
    >
      <Icon name={group.icon} />
      {group.title}
    </Link>
  )
}

/** The entry is always at the bottom of the menu. Its dialog loads on first use and then keeps its input. */
function SuggestionButton() {
  const [open, setOpen] = useState(false)
  const [isLoaded, setLoaded] = useState(false)
  const show = () => {
    setLoaded(true)
    setOpen(true)
  }
  return (
    <>
      <button type="button" className={styles.menuSuggest} onClick={show}>
        <Icon name="suggest" />
        建议反馈
      </button>
      {isLoaded && (
        <>
          <SuggestionDialog open={open} onClose={() => setOpen(false)} />
        </>
      )}
    </>
  )
}
