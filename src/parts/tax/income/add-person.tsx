import { useQuery } from '@tanstack/react-query'
import { Select } from 'antd'
import { useState } from 'react'
import { getMemberList } from '../../../../server/contract/people/member.ts'
import { query } from '../../../api.ts'
import { Dialog } from '../../../ui/over/dialogs.tsx'
import type { PeriodHead } from '../period/words.ts'
import { IncomeForm } from './income-dialog.tsx'

/** Somebody who is in no pay run of the month. Mounted while it is open. */
export function AddPerson({ period, onClose }: { period: PeriodHead; onClose: () => void }) {
  const [name, setName] = useState('')
  const [chosen, setChosen] = useState<{ member_id: string; name: string } | null>(null)
  const [isSure, setSure] = useState(false)
  const found = useQuery(query(getMemberList, { page: 1, pagesize: 20, ...(name ? { name } : {}) }))
  const people = found.data?.list ?? []
  if (chosen && isSure) return <IncomeForm period={period} person={chosen} known={null} onClose={onClose} />
  return (
    <Dialog
      open
      title="手工添加"
      action="填写收入"
      verdict={chosen ? true : '请选择员工'}
      onClose={onClose}
      onConfirm={() => setSure(true)}
    >
      <label htmlFor="period-add">员工</label>
      <Select
        id="period-add"
        style={{ width: '100%' }}
        placeholder="输入姓名或手机号搜索"
        showSearch={{ filterOption: false, onSearch: setName }}
        loading={found.isFetching}
        notFoundContent="没有找到这位员工"
        value={chosen?.member_id ?? null}
        options={people.map(({ ID, NAME, EMPLOYEE_NO }) => ({ value: ID, label: EMPLOYEE_NO ? `${NAME} ${EMPLOYEE_NO}` : NAME }))}
        onChange={(id) => {
          const person = people.find(({ ID }) => ID === id)
          setChosen(person ? { member_id: person.ID, name: person.NAME } : null)
        }}
      />
    </Dialog>
  )
}
