import { useQuery } from '@tanstack/react-query'
import { Select } from 'antd'
import { useState } from 'react'
import { getMemberList } from '../../../../server/contract/directory/members.ts'
import { callQuery } from '../../../api.ts'
import { Dialog } from '../../../components/overlay/dialogs.tsx'
import type { PeriodDetail } from '../period/labels.ts'
import { IncomeForm } from './income-dialog.tsx'

/** Adds a member who is in no pay run of the month. Mounted only while open. */
export function AddIncomeMemberDialog({ period, onClose }: { period: PeriodDetail; onClose: () => void }) {
  const [name, setName] = useState('')
  const [selected, setSelected] = useState<{ member_id: string; name: string } | null>(null)
  const [isConfirmed, setConfirmed] = useState(false)
  const members = useQuery(callQuery(getMemberList, { page: 1, pagesize: 20, ...(name ? { name } : {}) }))
  const options = members.data?.list ?? []
  if (selected && isConfirmed) return <IncomeForm period={period} member={selected} existing={null} onClose={onClose} />
  return (
    <Dialog
      open
      title="手工添加"
      action="填写收入"
      allowed={selected ? true : '请选择员工'}
      onClose={onClose}
      onConfirm={() => setConfirmed(true)}
    >
      <label htmlFor="period-add">员工</label>
      <Select
        id="period-add"
        style={{ width: '100%' }}
        placeholder="输入姓名或手机号搜索"
        showSearch={{ filterOption: false, onSearch: setName }}
        loading={members.isFetching}
        notFoundContent="没有找到这位员工"
        value={selected?.member_id ?? null}
        options={options.map(({ ID, NAME, EMPLOYEE_NO }) => ({
          value: ID,
          label: EMPLOYEE_NO ? `${NAME} ${EMPLOYEE_NO}` : NAME,
        }))}
        onChange={(id) => {
          const member = options.find(({ ID }) => ID === id)
          setSelected(member ? { member_id: member.ID, name: member.NAME } : null)
        }}
      />
    </Dialog>
  )
}
