package shell

import (
	"slices"
	"testing"
)

func TestNamesThatNothingGives(t *testing.T) {
	given := []string{"size", "y"}
	for script, want := range map[string][]string{
		`echo "$size" $y ${size} ${size%B} ${#y}`: nil,
		`echo a$yy b`:                                         {"yy"},
		`echo "$yy" ${zz} "${#vv}" $yy ${uu%x}`:               {"yy", "zz", "vv", "uu"},
		`echo '$yy' \$zz "\$vv" # $uu`:                        nil,
		`echo x#$yy`:                                          {"yy"},
		`echo ${yy:-1} ${zz-} ${vv:=2} ${uu?no} ${tt+x}`:      nil,
		`echo ${yy:-$zz}`:                                     {"zz"},
		`n=1; echo $n`:                                        nil,
		`for f in *; do echo $f; done; read a b; echo $a$b`:   nil,
		`echo $HOME $PATH $SLURM_JOB_ID $http_proxy $1 $@ $$`: nil,
		`out="$(awk '{ print $name }' "$file")"; echo $out`:   {"file"},
		"cat <<E\n$yy\nE":                                     nil,
		`. ./env; echo $yy`:                                   nil,
		`eval "$size"; echo $yy`:                              nil,
		`echo $((yy + 1)) $(echo $zz)`:                        {"zz"},
		`seq $n | tac >input`:                                 {"n"},
		`(cd "$dir" && make) "unclosed $b`:                    {"dir", "b"},
		"`echo $yy`":                                          {"yy"},
		`$`:                                                   nil,
		`\`:                                                   nil,
		`${`:                                                  nil,
	} {
		if got := Missing(script, given); !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", script, got, want)
		}
	}
}

func FuzzMissing(f *testing.F) {
	f.Add(`echo "$(a '$b' ${c:-d})" # e`)
	f.Fuzz(func(t *testing.T, script string) { Missing(script, nil) })
}
