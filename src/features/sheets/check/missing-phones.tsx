import { Link, useNavigate } from '@tanstack/react-router'
import { Button } from 'antd'
import { useState } from 'react'
import { uploadMembers } from '../../../../server/contract/directory/import.ts'
import { checkWageData } from '../../../../server/contract/sheets/sheet.ts'
import { callApi } from '../../../api.ts'
import { toast } from '../../../components/overlay/toast.ts'
import { useCanAccess } from '../../../session.ts'

/** A text that a spreadsheet would read as a formula stays a text. */
const toCsvCell = (text: string) => `"${(/^[=+\-@\t\r]/.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`

/** The members without a phone number as a list that the roster import reads once the last column is filled in. */
export const formatMissingPhones = (people: readonly { readonly name: string; readonly department: string }[]): string =>
  `\ufeff${[['姓名', '部门', '手机号'], ...people.map(({ name, department }) => [name, department, ''])]
    .map((row) => row.map(toCsvCell).join(','))
    .join('\r\n')}\r\n`

async function loadMissingPeople(batch_id: string) {
  const people: { name: string; department: string }[] = []
  for (let page = 1; ; page += 1) {
    const { problems, problem_count } = await callApi(checkWageData, { batch_id, kind: 'no_contact', page })
    people.push(...problems.map(({ name, row_summary }) => ({ name, department: row_summary?.department ?? '' })))
    if (problems.length === 0 || people.length >= problem_count) return people
  }
}

/** The way on for a sheet without phone numbers: they are in another file, which the roster import reads. */
export function MissingPhoneActions({ batch_id }: { batch_id: string }) {
  const navigate = useNavigate()
  const canImport = useCanAccess()(uploadMembers.access)
  const [isLoading, setLoading] = useState(false)
  const downloadList = async () => {
    setLoading(true)
    try {
      const link = document.createElement('a')
      link.href = URL.createObjectURL(new Blob([formatMissingPhones(await loadMissingPeople(batch_id))], { type: 'text/csv' }))
      link.download = '缺手机号的员工.csv'
      link.click()
      URL.revokeObjectURL(link.href)
    } catch (error) {
      toast.error(error instanceof Error ? error.message : '没有生成名单，请重试', '失败')
    } finally {
      setLoading(false)
    }
  }
  return (
    <div className="ui-row">
      {canImport && (
        <Button size="small" onClick={() => void navigate({ to: '/companyMember', search: { view: 'import', batch: batch_id } })}>
          导入花名册补手机号
        </Button>
      )}
      <Button size="small" loading={isLoading} onClick={() => void downloadList()}>
        下载缺手机号的名单
      </Button>
      <Link to="/companyMember">查看花名册</Link>
    </div>
  )
}
