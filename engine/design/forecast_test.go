package design

import (
	"testing"

	"mpf/engine/order"
)

func TestForecastHoldsWhatComes(t *testing.T) {
	if _, ok := Foresee([]float64{3}, 10); ok {
		t.Error("one run is enough")
	}
	if f, _ := Foresee([]float64{2, 2, 2}, 10); f != (Forecast{20, 20, 20, 3}) {
		t.Errorf("%+v", f)
	}
	random := order.NewRandom(order.KeyOf("forecast"))
	draw := func(n int) (values []float64, sum float64) {
		for range n {
			values = append(values, 1+float64(random.Below(1000))/100)
			sum += values[len(values)-1]
		}
		return values, sum
	}
	held := 0
	for range 1000 {
		measured, _ := draw(30)
		_, comes := draw(200)
		if f, ok := Foresee(measured, 200); ok && f.Low <= comes && comes <= f.High {
			held++
		}
	}
	if held < 900 || held > 990 {
		t.Errorf("the interval held %d of 1000 times", held)
	}
}
