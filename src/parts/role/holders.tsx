import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { OutputOf } from '../../../server/contract/call.ts'
import { getUserList } from '../../../server/contract/role.ts'
import type { Power } from '../../../server/contract/who.ts'
import { query } from '../../api.ts'
import { type Columns, DataTable } from '../../ui/data-table.tsx'
import { Icon } from '../../ui/icon.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import type { PageSearch } from '../../ui/search.ts'
import { SearchBox } from '../../ui/search-box.tsx'
import './role.css'

type User = OutputOf<typeof getUserList>['list'][number]

const powerWords: Record<Power, string> = { '1': '企业管理员', '2': '薪资管理员', '3': '人事管理员', '4': '系统管理员' }

type HolderSearch = PageSearch & { name?: string | undefined }

const columns: Columns<User> = [
  { title: '姓名', dataIndex: 'name', width: 140 },
  { title: '手机号', dataIndex: 'mobile_masked', width: 160, className: 'ui-nowrap' },
  { title: '角色', dataIndex: 'power', render: (power: Power[]) => power.map((each) => powerWords[each]).join('、') },
  {
    title: '管理范围',
    dataIndex: 'scope',
    render: ({ all, departments }: User['scope']) => (all ? '全公司' : departments.join('、') || '还没有划定部门'),
  },
]

/** The people who hold one power, and in place what that power may do. */
export function Holders(props: {
  title: string
  power: Power
  may: readonly string[]
  mayNot: readonly string[]
  search: HolderSearch
  empty: string
}) {
  const { title, power, may, mayNot, search, empty } = props
  const { name, page, pagesize } = search
  const users = useQuery(query(getUserList, { power, name, page, pagesize }))
  const navigate = useNavigate()
  const find = (text: string | undefined) =>
    void navigate({ to: '.', search: (name === text ? search : { name: text }) as never })
  return (
    <div className="ui-page">
      <PageHead title={title} note={users.data && `${users.data.page.total} 人`}>
        <SearchBox value={name} onSearch={find} placeholder="按姓名查找" />
      </PageHead>
      <div className="role-columns">
        <section className="ui-card" aria-label={title}>
          <DataTable
            asked={users}
            columns={columns}
            rowKey="user_id"
            unit="人"
            label={title}
            empty={
              name
                ? { drawing: 'search', text: `没有叫「${name}」的${title}。换一个名字，或清空搜索再看。` }
                : { drawing: 'people', text: empty }
            }
          />
        </section>
        <aside className="ui-card role-about" aria-labelledby="role-about">
          <h2 id="role-about">{title}能做什么</h2>
          <ul>
            {may.map((text) => (
              <li key={text}>
                <Icon name="check" size={16} />
                <span>
                  <span className="sr-only">可以：</span>
                  {text}
                </span>
              </li>
            ))}
            {mayNot.map((text) => (
              <li key={text} data-not="">
                <Icon name="close" size={16} />
                <span>
                  <span className="sr-only">不能：</span>
                  {text}
                </span>
              </li>
            ))}
          </ul>
        </aside>
      </div>
    </div>
  )
}
