import { useQuery } from '@tanstack/react-query'
import { Button, Select } from 'antd'
import { useEffect, useState } from 'react'
import { getMemberList } from '../../../../../server/contract/directory/members.ts'
import { maskMobile } from '../../../../../server/contract/shared/schemas.ts'
import { callQuery } from '../../../../api.ts'

/** The maximum number of search results (spec §9). */
const maxResults = 30

/** Searches for a member in the roster. An empty name, or one that contains a space, is not searched (spec §5). */
export function MemberSelect(props: { onPick: (member_id: string) => void; onClose: () => void }) {
  const [text, setText] = useState('')
  const [searchText, setSearchText] = useState('')
  // Searches when typing pauses.
  useEffect(() => {
    const timer = setTimeout(() => setSearchText(text.trim()), 300)
    return () => clearTimeout(timer)
  }, [text])
  const valid = searchText !== '' && !/\s/.test(searchText)
  const members = useQuery({ ...callQuery(getMemberList, { name: searchText, page: 1, pagesize: maxResults }), enabled: valid })
  const roster = useQuery(callQuery(getMemberList, { page: 1, pagesize: 1 }))
  const isRosterEmpty = roster.data?.page.total === 0
  const options = (valid ? (members.data?.list ?? []) : []).map((member) => ({
    value: member.ID,
    label: [member.NAME, maskMobile(member.MOBILE), member.DEPARTMENTS.map(({ NAME }) => NAME).join('、')]
      .filter(Boolean)
      .join(' '),
  }))
  return (
    <div className="ui-row">
      <Select
        size="small"
        aria-label="在花名册里找人"
        style={{ width: 280 }}
        defaultOpen
        autoFocus
        placeholder="输入姓名或手机号"
        options={options}
        loading={members.isFetching}
        showSearch={{ filterOption: false, searchValue: text, onSearch: setText }}
        notFoundContent={
          isRosterEmpty
            ? '花名册里还没有员工，请先导入花名册'
            : !valid
              ? '输入姓名或手机号查找'
              : members.isFetching
                ? '正在查找…'
                : '花名册里没有这个人'
        }
        onSelect={(member_id: string) => props.onPick(member_id)}
      />
      <Button size="small" type="text" onClick={props.onClose}>
        取消
      </Button>
    </div>
  )
}
