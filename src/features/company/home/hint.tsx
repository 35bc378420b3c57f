import { Popover } from 'antd'
import { dismissHint, type HintName } from '../../../../server/contract/auth/profile.ts'
import { callApi, queryClient } from '../../../api.ts'
import { Icon } from '../../../components/icon.tsx'
import { type CurrentUser, currentUserQuery, useCurrentUser } from '../../../session.ts'

const hintTexts: Readonly<Record<HintName, string>> = {
  upload: '表头、合计行和多级表头都会自动识别；识别有误的列，可在列名下方修改。',
  check: '红色必须处理，橙色请确认；修改均可撤销。',
  send: '尚未发送；点击后需再次确认，发出前可撤销，定时发送到点前可修改。',
  import: '先预览，后写入：新增谁、改了什么都列出来，确认才生效；写入后一天内可以整份撤销。',
  charts: '点击部门可下钻；撤回、更正后数据同步更新。',
}

/** The explanation of a page behind 「?」 beside its title. A dot marks it until the user has opened it once. */
export function OnboardingHint({ of: name }: { of: HintName }) {
  const user = useCurrentUser()
  if (!user) return null
  const isUnread = !user.dismissed_hints.includes(name)
  const markRead = () => {
    queryClient.setQueryData<CurrentUser>(
      currentUserQuery.queryKey,
      (cached) => cached && { ...cached, dismissed_hints: [...cached.dismissed_hints, name] },
    )
    void callApi(dismissHint, { hint: name }).catch(() => {
      // If the request fails, the dot appears again.
    })
  }
  return (
    <Popover
      trigger="click"
      placement="bottomLeft"
      content={<p className="ui-help-text">{hintTexts[name]}</p>}
      onOpenChange={(isOpen) => isOpen && isUnread && markRead()}
    >
      <button
        type="button"
        className="ui-help no-print"
        data-unread={isUnread || undefined}
        aria-label={isUnread ? '页面说明，未读' : '页面说明'}
      >
        <Icon name="help" />
      </button>
    </Popover>
  )
}
