import { useQuery } from '@tanstack/react-query'
import { Select } from 'antd'
import { useState } from 'react'
import type { AskOf, OutputOf } from '../../../../server/contract/call.ts'
import { getShareUserList, type getTitleList, shareTitle } from '../../../../server/contract/wage/titles.ts'
import { query, useCall } from '../../../api.ts'
import { Dialog } from '../../../ui/over/dialogs.tsx'
import { toast } from '../../../ui/over/toast.ts'
import { SearchBox } from '../../../ui/page/search-box.tsx'
import { ErrorState } from '../../../ui/state/error-state.tsx'
import { Skeleton } from '../../../ui/state/skeleton.tsx'
import styles from './titles.module.css'

type Rights = AskOf<typeof shareTitle>['rights']
type User = OutputOf<typeof getShareUserList>['list'][number]
const rightsOptions: { value: Rights; label: string }[] = [
  { value: 'none', label: '不共享' },
  { value: 'view', label: '可查看' },
  { value: 'manage', label: '可管理' },
]
const doneText: Readonly<Record<Rights, string>> = { none: '已取消共享', view: '已共享，可查看', manage: '已共享，可管理' }
/** From so many on one looks for a name. */
const many = 8

/** Who else works with a title. Each change is kept at once; the list says how it stands. */
export function ShareDialog(props: {
  title: Pick<OutputOf<typeof getTitleList>['list'][number], 'title_id' | 'title'>
  onClose: () => void
}) {
  const { title_id, title } = props.title
  const asked = useQuery(query(getShareUserList, { title_id }))
  const [name, setName] = useState<string | undefined>()
  const share = useCall(shareTitle)
  const give = ({ user_id, name: who }: User, rights: Rights) =>
    share.mutate({ title_id, user_ids: [user_id], rights }, { onSuccess: () => toast.done(`${who}：${doneText[rights]}`) })
  const list = asked.data?.list ?? []
  const shown = name ? list.filter((user) => user.name.includes(name)) : list
  return (
    <Dialog open title={`共享「${title}」`} onClose={props.onClose} result={{ text: '完成', onPress: props.onClose }}>
      <p className="ui-hint">
        可查看：看工资条和进度。可管理：还能核对、发送、更正和撤回。无论哪一种，对方只看得到自己管理范围内的员工。
      </p>
      {list.length >= many && <SearchBox value={name} onSearch={setName} placeholder="搜索姓名" />}
      {!asked.data ? (
        asked.error ? (
          <ErrorState error={asked.error} retry={() => void asked.refetch()} />
        ) : (
          <Skeleton rows={3} />
        )
      ) : list.length === 0 ? (
        <p>没有别的薪酬管理员。需要的话，请企业管理员在「角色管理 › 薪酬管理员」里添加。</p>
      ) : (
        <ul className={styles.titleUsers} aria-label="可以共享给">
          {shown.map((user) => (
            <li key={user.user_id}>
              <div>
                <strong>{user.name}</strong>
                <small>
                  {user.mobile_masked} · {user.whole ? '管理全公司' : '只管理部分部门'}
                </small>
              </div>
              <Select<Rights>
                aria-label={`${user.name}的权限`}
                value={user.rights ?? 'none'}
                options={rightsOptions}
                // What stands here is how it was: until it is known how it is now, choosing the same again would be no change.
                disabled={share.isPending || asked.isFetching}
                onChange={(rights) => give(user, rights)}
              />
            </li>
          ))}
          {shown.length === 0 && <li className="ui-hint">没有叫「{name}」的薪酬管理员</li>}
        </ul>
      )}
    </Dialog>
  )
}
