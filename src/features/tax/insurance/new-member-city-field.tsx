import { Dropdown, noSelection } from '../../../components/form/select.tsx'
import { LabeledField } from '../fields.tsx'

/** The city of members whose insurance was not entered before. */
export const NewMemberCityField = (props: { cities: readonly string[]; city: string; onChange: (city: string) => void }) => (
  <LabeledField label="参保城市（原来没有填写的人）">
    <Dropdown<string>
      label="参保城市"
      width="100%"
      {...(props.city ? { value: props.city } : {})}
      options={props.cities.map((value) => ({ value, label: value }))}
      onChange={(next) => next !== noSelection && props.onChange(next)}
    />
  </LabeledField>
)
