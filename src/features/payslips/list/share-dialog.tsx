import { useQuery } from '@tanstack/react-query'
import { Select } from 'antd'
import { useState } from 'react'
import type { CallOutput, CallRequest } from '../../../../server/contract/call.ts'
import { getShareUserList, type getTitleList, shareTitle } from '../../../../server/contract/sheets/titles.ts'
import { callQuery, useCallMutation } from '../../../api.ts'
import { Dialog } from '../../../components/overlay/dialogs.tsx'
import { toast } from '../../../components/overlay/toast.ts'
import { SearchBox } from '../../../components/page/search-box.tsx'
import { ErrorState } from '../../../components/state/error-state.tsx'
import { Skeleton } from '../../../components/state/skeleton.tsx'
import styles from './titles.module.css'

type ShareRights = CallRequest<typeof shareTitle>['rights']
type ShareUser = CallOutput<typeof getShareUserList>['list'][number]
const rightsOptions: { value: ShareRights; label: string }[] = [
  { value: 'none', label: '不共享' },
  { value: 'view', label: '可查看' },
  { value: 'manage', label: '可管理' },
]
const savedTexts: Readonly<Record<ShareRights, string>> = { none: '已取消共享', view: '已共享，可查看', manage: '已共享，可管理' }
/** The number of users from which a search box is shown. */
const searchThreshold = 8

/** Shares a title with other users. Each change is saved at once; the list shows the current state. */
export function ShareDialog(props: {
  title: Pick<CallOutput<typeof getTitleList>['list'][number], 'title_id' | 'title'>
  onClose: () => void
}) {
  const { title_id, title } = props.title
  const users = useQuery(callQuery(getShareUserList, { title_id }))
  const [name, setName] = useState<string | undefined>()
  const share = useCallMutation(shareTitle)
  const setRights = ({ user_id, name: userName }: ShareUser, rights: ShareRights) =>
    share.mutate(
      { title_id, user_ids: [user_id], rights },
      { onSuccess: () => toast.success(`${userName}：${savedTexts[rights]}`) },
    )
  const list = users.data?.list ?? []
  const visibleUsers = name ? list.filter((user) => user.name.includes(name)) : list
  return (
    <Dialog open title={`共享「${title}」`} onClose={props.onClose} result={{ text: '完成', onPress: props.onClose }}>
      <p className="ui-hint">
        可查看：看工资条和进度。可管理：还能核对、发送、更正和撤回。无论哪一种，对方只看得到自己管理范围内的员工。
      </p>
      {list.length >= searchThreshold && <SearchBox value={name} onSearch={setName} placeholder="搜索姓名" />}
      {!users.data ? (
        users.error ? (
          <ErrorState error={users.error} retry={() => void users.refetch()} />
        ) : (
          <Skeleton rows={3} />
        )
      ) : list.length === 0 ? (
        <p>没有别的薪酬管理员。需要的话，请企业管理员在「角色管理 › 薪酬管理员」里添加。</p>
      ) : (
        <ul className={styles.titleUsers} aria-label="可以共享给">
          {visibleUsers.map((user) => (
            <li key={user.user_id}>
              <div>
                <strong>{user.name}</strong>
                <small>
                  {user.mobile_masked} · {user.whole ? '管理全公司' : '只管理部分部门'}
                </small>
              </div>
              <Select<ShareRights>
                aria-label={`${user.name}的权限`}
                value={user.rights ?? 'none'}
                options={rightsOptions}
                // Shows the previous state until the current one has loaded: selecting the same value again would
                // otherwise be ignored.
                disabled={share.isPending || users.isFetching}
                onChange={(rights) => setRights(user, rights)}
              />
            </li>
          ))}
          {visibleUsers.length === 0 && <li className="ui-hint">没有叫「{name}」的薪酬管理员</li>}
        </ul>
      )}
    </Dialog>
  )
}
