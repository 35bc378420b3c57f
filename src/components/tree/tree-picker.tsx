import { TreeSelect } from 'antd'

export type TreeNode = { ID: string; NAME: string; child: TreeNode[] }
const popupHeight = 400

/** `includesDescendants`: a selected node stands for all below it; they show as selected, only the topmost are returned. */
type CommonProps = {
  includesDescendants?: boolean
  tree: readonly TreeNode[]
  placeholder?: string
  id?: string
  disabled?: boolean
}
type SingleProps = CommonProps & { multiple?: false; value?: string | undefined; onChange?: (id: string | undefined) => void }
type MultipleProps = CommonProps & { multiple: true; value?: string[]; onChange?: (ids: string[]) => void }

/** Selects departments: all expanded by default, at most 400 px high, searchable by name. Fits directly into a Form.Item. */
export function TreePicker({ tree, placeholder = '选择部门', value, onChange, ...otherProps }: SingleProps | MultipleProps) {
  const { multiple = false, includesDescendants = false, ...rest } = otherProps
  return (
    <TreeSelect
      {...rest}
      value={(value ?? (multiple ? [] : undefined)) as never}
      onChange={(next: unknown) => (onChange as ((value: unknown) => void) | undefined)?.(next)}
      treeData={tree as TreeNode[]}
      fieldNames={{ label: 'NAME', value: 'ID', children: 'child' }}
      multiple={multiple}
      {...(includesDescendants ? { treeCheckable: true, showCheckedStrategy: TreeSelect.SHOW_PARENT } : {})}
      placeholder={placeholder}
      // In a form, the label names the field; otherwise its placeholder does.
      {...(rest.id ? {} : { 'aria-label': placeholder })}
      listHeight={popupHeight}
      styles={{ popup: { root: { maxHeight: popupHeight, overflow: 'auto' } } }}
      treeDefaultExpandAll
      allowClear
      showSearch={{ treeNodeFilterProp: 'NAME' }}
      style={{ width: '100%' }}
    />
  )
}
