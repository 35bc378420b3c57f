import { dismissHint, type HintName } from '../../../../server/contract/auth/profile.ts'
import { callApi, queryClient } from '../../../api.ts'
import { Icon } from '../../../components/icon.tsx'
import { type CurrentUser, currentUserQuery, useCurrentUser } from '../../../session.ts'
import styles from './hint.module.css'

const hintTexts: Readonly<Record<HintName, string>> = {
  upload: '表头、合计行和多级表头都会自动识别；识别有误的列，可在列名下方修改。',
  check: '红色必须处理，橙色请确认；修改均可撤销。',
  send: '尚未发送；点击后需再次确认，发出前可撤销，定时发送到点前可修改。',
  import: '先预览，后写入：新增谁、改了什么都列出来，确认才生效；写入后一天内可以整份撤销。',
  charts: '点部门可以往下看；每张图下面是同样的数字，可以打印。撤回和更正以后，这里会跟着变。',
}

/** A one-line hint for first-time users; once dismissed it never appears again. */
export function OnboardingHint({ of: name }: { of: HintName }) {
  const user = useCurrentUser()
  if (!user || user.dismissed_hints.includes(name)) return null
  const close = () => {
    queryClient.setQueryData<CurrentUser>(
      currentUserQuery.queryKey,
      (cached) => cached && { ...cached, dismissed_hints: [...cached.dismissed_hints, name] },
    )
    void callApi(dismissHint, { hint: name }).catch(() => {
      // If the request fails, the hint appears again.
    })
  }
  return (
    <aside className={`${styles.root} no-print`} aria-label="提示">
      <p>{hintTexts[name]}</p>
      <button type="button" aria-label="知道了，不再提示" onClick={close}>
        <Icon name="close" size={16} />
      </button>
    </aside>
  )
}
